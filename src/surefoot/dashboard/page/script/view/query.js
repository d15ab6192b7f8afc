export function showQuery(place) { return { set() {}, close() {} }; }
