"""The pictures on the cards of King Lui, drawn by us."""

from __future__ import annotations

from card_envs.drawing.palette import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION, YELLOW

# The colour of each card, and its shapes in a square of 32.
ICONS = {
    "bread": (
        ORANGE,
        '<path d="M5 26v-7C1 16 3 8 16 8s15 8 11 11v7z"/><path d="M11 13l2 4M16 12l2 4M21 13l2 4" fill="none"/>',
    ),
    "cake": (
        PURPLE,
        '<path d="M4 15l17-7 7 7v12H4z"/><path d="M4 15h24" fill="none"/><path d="M4 19h24v3H4z" fill="#fff"/>'
        '<circle cx="17" cy="7" r="3"/>',
    ),
    "cheese": (
        YELLOW,
        '<path d="M3 18L21 7c5 1 8 5 8 11v8H3z"/><path d="M3 18h26" fill="none"/>'
        '<circle cx="10" cy="22" r="2" fill="#fff"/><circle cx="20" cy="22.5" r="2.5" fill="#fff"/>',
    ),
    "chicken": (
        VERMILION,
        '<path d="M11 21l-5 5" stroke-width="5"/><path d="M11 21l-5 5" stroke="#fff" stroke-width="2.2"/>'
        '<path d="M10 20C6 12 13 3 21 4c7 1 9 9 4 14-4 5-11 7-15 2z"/>',
    ),
    "fruit": (
        GREEN,
        '<path d="M16 11C12 7 5 9 5 17c0 6 4 12 8 12 1 0 2-1 3-1s2 1 3 1c4 0 8-6 8-12 0-8-7-10-11-6z"/>'
        '<path d="M16 11c0-4 1-6 4-8" fill="none"/>',
    ),
    "ham": (
        SKY,
        '<path d="M25 9l4-4" stroke-width="5"/><path d="M25 9l4-4" stroke="#fff" stroke-width="2.2"/>'
        '<path d="M26 9c3 9-4 19-13 19C6 28 3 22 5 16 7 9 18 4 26 9z"/><circle cx="13" cy="19" r="5" fill="#fff"/>'
        '<circle cx="13" cy="19" r="1.5"/>',
    ),
    "wine": (
        BLUE,
        '<path d="M9 4h14c2 9-2 14-7 14S7 13 9 4z" fill="#fff"/><path d="M8.5 10h15c0 5-3 8-7.5 8s-7.5-3-7.5-8z"/>'
        '<path d="M16 18v9M10 28h12" fill="none"/>',
    ),
    "emerald": (
        GREEN,
        '<path d="M11 18l-9-5 3 10 6 1zM21 18l9-5-3 10-6 1z"/><path d="M9 29c-1-8 1-13 7-13s8 5 7 13z"/>'
        '<path d="M8 9L7 2l5 3h8l5-3-1 7c0 6-3 10-8 10S8 15 8 9z"/><circle cx="12.5" cy="10" r="2" fill="#fff"/>'
        '<circle cx="19.5" cy="10" r="2" fill="#fff"/><path d="M14.5 15v.2M17.5 15v.2" fill="none"/>',
    ),
    "king": (GREY, '<path d="M4 25V10l6 6 6-11 6 11 6-6v15z"/><path d="M4 25h24" fill="none"/>'),
}
