// What both pictures need to draw: colours of the page, canvases, distances.

/** Returns a function from names to the page's colours, which depend on the light or dark display. */
function colours() {
  const style = getComputedStyle(document.documentElement);
  return (name) => style.getPropertyValue(`--${name}`).trim();
}

/** Sizes a canvas in pixels of the display; returns its context, whose unit is a pixel of the page. */
function sized(canvas, width, height) {
  const ratio = Math.min(2, window.devicePixelRatio || 1);
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

/** Interpolates between two colours of the form `#rrggbb`. */
function between(from, to, part) {
  const digits = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  const [low, high] = [digits(from), digits(to)];
  return `rgb(${low.map((value, nth) => Math.round(value + (high[nth] - value) * part)).join(",")})`;
}

/** Black or white, whichever contrasts more with a colour `rgb(r,g,b)`: at least 4.58 to 1. */
function legible(colour) {
  const [red, green, blue] = colour.match(/\d+/g).map((digits) => {
    const value = digits / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000" : "#fff";
}

/** The distance of a point from a segment. */
function distance(x, y, [fromX, fromY, toX, toY]) {
  const [dx, dy] = [toX - fromX, toY - fromY];
  const along = Math.max(0, Math.min(1, ((x - fromX) * dx + (y - fromY) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(fromX + along * dx - x, fromY + along * dy - y);
}
