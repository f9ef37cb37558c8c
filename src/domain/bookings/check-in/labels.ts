// What the page of a stay calls what guests tell on it: its forms label their fields so, and what is refused begins with it.

export const ARRIVAL = "Time of arrival"
export const WHOSE = "Whose document it is"
export const PHOTO = "Photo"

export const NO_SUCH_GUEST = `${WHOSE}: no such guest of this stay.`
