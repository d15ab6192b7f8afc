/** A chart as a file. */
import { themeColour } from "./colour.js";

const HEAD = 30;

/** The picture with its title and the names of its curves. */
export function savePng(name, canvas, entries) {
  const ratio = devicePixelRatio;
  const made = document.createElement("canvas");
  made.width = canvas.width;
  made.height = canvas.height + HEAD * ratio;
  const ctx = made.getContext("2d");
  ctx.fillStyle = themeColour("surface");
  ctx.fillRect(0, 0, made.width, made.height);
  ctx.drawImage(canvas, 0, HEAD * ratio);
  ctx.scale(ratio, ratio);
  ctx.textBaseline = "middle";
  ctx.font = "600 13px system-ui, sans-serif";
  ctx.fillStyle = themeColour("text");
  ctx.fillText(name, 10, HEAD / 2);
  let x = 24 + ctx.measureText(name).width;
  ctx.font = "12px system-ui, sans-serif";
  for (const { label, colour } of entries) {
    ctx.fillStyle = colour;
    ctx.fillRect(x, HEAD / 2 - 1.5, 12, 3);
    ctx.fillStyle = themeColour("quiet");
    ctx.fillText(label, x + 17, HEAD / 2);
    x += 31 + ctx.measureText(label).width;
  }
  made.toBlob((blob) => offer(`${fileName(name)}.png`, blob));
}

/** What is shown: buckets have a lowest and a highest value. */
export function saveCsv(name, curves) {
  const lines = ["run,rank,name,step,time,low,high,last"];
  for (const curve of curves) {
    const odd = new Map(curve.nonfinite.map(({ step, value }) => [step, csvNumber(value)]));
    for (let i = 0; i < curve.length; i++) {
      const numbers = [curve.lows[i], curve.highs[i], curve.lasts[i]].map(
        (value) => value ?? odd.get(curve.steps[i]) ?? "",
      );
      lines.push(
        [curve.run, curve.rank, curve.name, curve.steps[i], curve.times[i], ...numbers].map(csvField).join(","),
      );
    }
  }
  saveText(`${fileName(name)}.csv`, `${lines.join("\n")}\n`, "text/csv");
}

export function saveTable(name, columns, rows) {
  const lines = [columns, ...rows].map((row) => row.map((value) => csvField(value ?? "")).join(","));
  saveText(`${fileName(name)}.csv`, `${lines.join("\n")}\n`, "text/csv");
}

function saveText(name, text, type) {
  offer(name, new Blob([text], { type }));
}

function offer(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function fileName(name) {
  return name.replace(/[^\w.-]+/g, "-");
}

/** As the run log's own CSV writes them. */
function csvNumber(value) {
  return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

function csvField(value) {
  const text = String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
