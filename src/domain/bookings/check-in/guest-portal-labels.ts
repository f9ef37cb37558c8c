export const ARRIVAL_LABEL = "Time of arrival"
export const DOCUMENT_OWNER_LABEL = "Whose document it is"
export const PHOTO_LABEL = "Photo"

export const NO_SUCH_GUEST_MESSAGE = `${DOCUMENT_OWNER_LABEL}: no such guest of this stay.`
