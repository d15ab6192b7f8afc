export function showCompare(place) { return { set() {}, close() {} }; }
