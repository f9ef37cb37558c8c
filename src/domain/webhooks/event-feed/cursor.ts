interface FeedPosition {
  readonly operatorId: number
  /** 0 is the position before all events. */
  readonly position: number
}

const CURSOR_VERSION = 1
const CURSOR_TEXT_PATTERN = /^1\.([1-9]\d{0,15})\.(0|[1-9]\d{0,15})$/

export const CURSOR_PATTERN = "^[A-Za-z0-9_-]{0,48}$"

export const formatFeedCursor = ({ operatorId, position }: FeedPosition): string =>
  Buffer.from(`${CURSOR_VERSION}.${operatorId}.${position}`).toString("base64url")

export const parseFeedCursor = (cursor: string): FeedPosition | undefined => {
  const [, operatorId, position] = CURSOR_TEXT_PATTERN.exec(Buffer.from(cursor, "base64url").toString("latin1")) ?? []
  if (operatorId === undefined || position === undefined) return undefined
  const parsed = { operatorId: Number(operatorId), position: Number(position) }
  // Rejects other encodings of a cursor, and numbers that were rounded.
  return formatFeedCursor(parsed) === cursor && Number.isSafeInteger(parsed.position) ? parsed : undefined
}
