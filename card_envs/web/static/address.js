// What stands behind the ? of an address, such as #/game/3f.../7?move=9&seat=2.
const parts = () => location.hash.split("?");

export const asked = () => new URLSearchParams(parts()[1] || "");

// Change the address of the page that is shown, without loading it again. Empty values leave it.
export function address(changes) {
  const query = asked();
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === undefined || value === "") query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  history.replaceState(null, "", text ? `${parts()[0]}?${text}` : parts()[0]);
}

export const here = (path, query = {}) => {
  const text = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "")).toString();
  return `${location.origin}/${path}${text ? `?${text}` : ""}`;
};
