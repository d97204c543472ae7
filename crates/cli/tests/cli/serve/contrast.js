// Texts whose contrast to the colour behind them is below 4.5 (WCAG AA).
await wait(100);
const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const rgba = (colour) => {
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = colour;
  canvas.fillRect(0, 0, 1, 1);
  return [...canvas.getImageData(0, 0, 1, 1).data];
};
const light = ([red, green, blue]) =>
  [red, green, blue]
    .map((value) => value / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, nth) => sum + value * [0.2126, 0.7152, 0.0722][nth], 0);
const behind = (part) => {
  for (let at = part; at; at = at.parentElement) {
    const colour = rgba(getComputedStyle(at).backgroundColor);
    if (colour[3] === 255) return colour;
  }
  return [255, 255, 255, 255];
};
const faint = new Set();
for (const part of document.body.querySelectorAll("*")) {
  const hasText = [...part.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  if (!hasText || part.closest("[hidden], svg, .unseen, .skip, option, :disabled, noscript") || part.offsetParent === null) continue;
  const [one, other] = [light(rgba(getComputedStyle(part).color)), light(behind(part))].sort((a, b) => b - a);
  const ratio = (one + 0.05) / (other + 0.05);
  if (ratio < 4.5) faint.add(`${part.tagName} ${part.className} ${part.id} ${ratio.toFixed(2)}: ${part.textContent.slice(0, 40)}`);
}
return [...faint].slice(0, 10);
