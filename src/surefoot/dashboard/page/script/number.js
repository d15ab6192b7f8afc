/** Numbers, spans and dates as people read them. */

const GROUPED = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const ODD = { NaN: "NaN", Infinity: "∞", "-Infinity": "−∞" };

/** A value as a number; what is not finite comes as text. */
export function toNumber(value) {
  return value === null || value === undefined ? null : Number(value);
}

export function short(value, digits = 5) {
  if (value === null || value === undefined) return "–";
  const number = Number(value);
  if (!Number.isFinite(number)) return ODD[String(number)];
  const size = Math.abs(number);
  if (size !== 0 && (size >= 1e7 || size < 1e-4)) return exponent(number, Math.min(digits, 4));
  if (Number.isInteger(number)) return size >= 1e4 ? GROUPED.format(number) : String(number);
  return String(Number(number.toPrecision(digits)));
}

/** On an axis: as few characters as tell the ticks apart, which are so much from each other. */
export function tick(value, apart = 0) {
  const size = Math.abs(value);
  if (size === 0) return "0";
  const digits = digitsOf(size, apart);
  if (size >= 1e15 || size < 1e-4) return exponent(value, digits);
  for (const [unit, sign] of [
    [1e12, "T"],
    [1e9, "G"],
    [1e6, "M"],
    [1e3, "k"],
  ]) {
    if (size >= unit) return trim(value / unit, digits) + sign;
  }
  return trim(value, digits);
}

export function count(value) {
  return value === null || value === undefined ? "–" : GROUPED.format(value);
}

export function bytes(value, apart = 0) {
  const digits = digitsOf(Math.abs(value), apart);
  const units = ["B", "kB", "MB", "GB", "TB"];
  let at = 0;
  for (value = Number(value); Math.abs(value) >= 1000 && at < units.length - 1; at++) value /= 1000;
  return `${trim(value, digits)} ${units[at]}`;
}

export function span(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 1) return seconds <= 0 ? "0 s" : `${trim(seconds)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${whole % 60} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** On an axis of time since the start. */
export function clock(seconds) {
  if (Math.abs(seconds) < 60) return `${trim(seconds)} s`;
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  const tail = String(whole % 60).padStart(2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${tail}` : `${minutes}:${tail}`;
}

export function ago(iso) {
  if (!iso) return "–";
  const seconds = (Date.now() - Date.parse(iso)) / 1000;
  if (seconds < 60) return "just now";
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ago`;
  return `${Math.floor(seconds / 86400)} d ago`;
}

export function moment(iso) {
  return iso ? new Date(iso).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" }) : "–";
}

function exponent(number, digits) {
  const [mantissa, power] = number.toExponential(digits - 1).split("e");
  return `${Number(mantissa)}e${Number(power)}`;
}

function trim(number, digits = 3) {
  return String(Number(number.toPrecision(digits)));
}

function digitsOf(size, apart) {
  if (!size || !apart) return 3;
  return Math.min(9, Math.max(3, Math.floor(Math.log10(size)) - Math.floor(Math.log10(apart)) + 2));
}
