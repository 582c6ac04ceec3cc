"""The page itself, its files, and how refusals are answered."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from card_envs.drawing.metrics import FONT_FOLDER
from card_envs.drawing.palette import page_stylesheet
from card_envs.errors import CardEnvsError
from card_envs.web.errors import NotYoursError, TooMuchError
from card_envs.web.folders import Folders

STATIC = Path(__file__).parent / "static"


def add_pages(app: FastAPI) -> None:
    """The one page, and the files that it needs."""

    @app.get("/", include_in_schema=False)
    def page() -> FileResponse:
        return FileResponse(STATIC / "index.html")

    @app.get("/palette.css", include_in_schema=False)
    def palette() -> Response:
        return Response(page_stylesheet(), media_type="text/css")

    app.mount("/static", StaticFiles(directory=STATIC))
    app.mount("/font", StaticFiles(directory=FONT_FOLDER))


def add_refusals(app: FastAPI, folders: Folders) -> None:
    """Every refusal is one sentence in the same form, and none tells where something is on this computer."""

    def answer(status: int, sentence: BaseException | str, headers: Mapping[str, str] | None = None) -> JSONResponse:
        return JSONResponse({"error": folders.tell(sentence)}, status, headers=headers)

    @app.exception_handler(CardEnvsError)
    def refused(_: Request, error: Any) -> JSONResponse:
        return answer(429 if isinstance(error, TooMuchError) else getattr(error, "status", 400), error)

    @app.exception_handler(RequestValidationError)
    def invalid(_: Request, error: Any) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:]) or "the request"
        if "X-Seat-Key" in first["loc"]:
            return answer(NotYoursError.status, "this needs the key of a seat, in the header X-Seat-Key")
        return answer(422, f"{where}: {first['msg']}")

    @app.exception_handler(HTTPException)
    def missing(_: Request, error: Any) -> JSONResponse:
        return answer(error.status_code, str(error.detail), error.headers)

    @app.exception_handler(Exception)
    def failed(_: Request, error: Any) -> JSONResponse:
        return answer(500, "the server made a mistake; whoever started it can read on its terminal which")
