// A place in the feed of an operator, as callers carry it: opaque text that only this file can read.

/** After the event at this position, and before the next. */
export interface FeedPlace {
  readonly operatorId: number
  /** 0: before all events. */
  readonly position: number
}

/** So that a later form can be told from this one. */
const VERSION = 1
const FORM = /^1\.([1-9]\d{0,15})\.(0|[1-9]\d{0,15})$/

/** What a cursor looks like: nothing longer can be one. */
export const CURSOR_FORM = "^[A-Za-z0-9_-]{0,48}$"

export const cursorOf = ({ operatorId, position }: FeedPlace): string =>
  Buffer.from(`${VERSION}.${operatorId}.${position}`).toString("base64url")

/** Undefined: the text is no cursor of this service. */
export const placeOf = (cursor: string): FeedPlace | undefined => {
  const [, operatorId, position] = FORM.exec(Buffer.from(cursor, "base64url").toString("latin1")) ?? []
  if (operatorId === undefined || position === undefined) return undefined
  const place = { operatorId: Number(operatorId), position: Number(position) }
  // Neither in another writing, nor a number that was rounded.
  return cursorOf(place) === cursor && Number.isSafeInteger(place.position) ? place : undefined
}
