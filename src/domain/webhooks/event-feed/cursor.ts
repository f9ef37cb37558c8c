// A place in the feed of an operator, as callers carry it: opaque text that only this file can read.

/** After the event at this position, and before the next. */
interface FeedPosition {
  readonly operatorId: number
  /** 0: before all events. */
  readonly position: number
}

/** So that a later form can be told from this one. */
const CURSOR_VERSION = 1
const CURSOR_TEXT_PATTERN = /^1\.([1-9]\d{0,15})\.(0|[1-9]\d{0,15})$/

/** What a cursor looks like: nothing longer can be one. */
export const CURSOR_PATTERN = "^[A-Za-z0-9_-]{0,48}$"

export const formatFeedCursor = ({ operatorId, position }: FeedPosition): string =>
  Buffer.from(`${CURSOR_VERSION}.${operatorId}.${position}`).toString("base64url")

/** Undefined: the text is no cursor of this service. */
export const parseFeedCursor = (cursor: string): FeedPosition | undefined => {
  const [, operatorId, position] = CURSOR_TEXT_PATTERN.exec(Buffer.from(cursor, "base64url").toString("latin1")) ?? []
  if (operatorId === undefined || position === undefined) return undefined
  const parsed = { operatorId: Number(operatorId), position: Number(position) }
  // Neither in another writing, nor a number that was rounded.
  return formatFeedCursor(parsed) === cursor && Number.isSafeInteger(parsed.position) ? parsed : undefined
}
