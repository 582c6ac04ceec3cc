// Inviting somebody to a seat, and coming with an invitation.
import { ask, games, go, keep, make, say } from "./tools.js";
import { word } from "./words.js";

const HERE = /^(localhost|127\.|\[?::1)/;

export async function join(view, id, seat, invitation) {
  if (!games()[id]) {
    try {
      const name = localStorage.getItem("card_envs.name") || "";
      const claimed = await ask(`/games/${id}/claim`, { body: { seat: Number(seat), invitation, name } });
      keep(id, { key: claimed.key, seat: claimed.seat, game: "", when: new Date().toISOString() });
    } catch (error) {
      if (![403, 404, 409, 422].includes(error.status)) throw error;
      sessionStorage.setItem("card_envs.message", error.status === 403 ? word("usedInvitation") : error.message);
      return go("/");
    }
  }
  return go(`/play/${id}`);
}

// What somebody was told on the way to the first page.
export function tellMessage() {
  const message = sessionStorage.getItem("card_envs.message");
  sessionStorage.removeItem("card_envs.message");
  if (message) say(message);
}

export function invitationList(place, id, invitations = [], open = []) {
  const waiting = (invitations || []).filter((one) => open.includes(one.seat));
  place.hidden = !waiting.length;
  place.replaceChildren(make("p", { text: word("waitingSeats") }), make("ul", {}, ...waiting.map((one) => {
    const link = `${location.origin}/#/join/${id}/${one.seat}/${one.invitation}`;
    return make("li", {}, `${word("seat", one.seat + 1)}: `, make("code", { class: "link", text: link }), " ",
      make("button", { type: "button", class: "quiet", text: word("copy"), onclick: (event) => navigator.clipboard.writeText(link).then(() => (event.target.textContent = word("copied"))) }));
  })), ...(HERE.test(location.hostname) ? [make("p", { class: "hint", id: "only-here", text: word("onlyHere") })] : []));
}
