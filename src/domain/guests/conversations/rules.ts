import { Result } from "effect"
import { BadRequest, Conflict, NotFound, ValidationFailed } from "../../../contract/errors.ts"
import { hasAtMostCharacters } from "../../../contract/fields.ts"
import {
  ACTIVITIES_SHOWN,
  CONVERSATION_NOTE_LENGTH,
  MESSAGES_SHOWN,
  QUEUED_MESSAGES_MAX
} from "../../../platform/limits.ts"
import { getMessageLimit } from "../../channels/port/message-limits.ts"

interface MessageContent {
  readonly text: string
  readonly jpegBase64: string | undefined
}

/** A blank field counts as missing. */
export const parseMessageContent = (payload: {
  readonly message?: string
  readonly jpeg_base64?: string
}): Result.Result<MessageContent, BadRequest> => {
  const text = hasVisibleText(payload.message) ? payload.message : ""
  const jpegBase64 = hasVisibleText(payload.jpeg_base64) ? payload.jpeg_base64 : undefined
  return text === "" && jpegBase64 === undefined ? Result.fail(emptyMessageError) : Result.succeed({ text, jpegBase64 })
}

/** Includes invisible characters such as U+200B. */
const INVISIBLE_TEXT = /^[\s\p{Cf}]*$/u

const hasVisibleText = (text: string | undefined): text is string => text !== undefined && !INVISIBLE_TEXT.test(text)

const emptyMessageError = new BadRequest({ message: "message, jpeg_base64: give at least one of them." })

export const checkMessageLength = (channelType: string, text: string): Result.Result<string, ValidationFailed> => {
  const maxLength = getMessageLimit(channelType)
  return hasAtMostCharacters(text, maxLength)
    ? Result.succeed(text)
    : Result.fail(
        new ValidationFailed({ message: `message: must be at most ${maxLength} characters on ${channelType}.` })
      )
}

/** A note with more UTF-16 units than this, times the limit, is rejected without counting its characters. */
const MAX_UNITS_PER_CHARACTER = 16

const graphemeSegmenter = new Intl.Segmenter("en", { granularity: "grapheme" })

/** Counts grapheme clusters (UAX 29). */
export const isNoteWithinLimit = (text: string): boolean => {
  if (hasAtMostCharacters(text, CONVERSATION_NOTE_LENGTH)) return true
  if (text.length > MAX_UNITS_PER_CHARACTER * CONVERSATION_NOTE_LENGTH) return false
  let count = 0
  for (const _character of graphemeSegmenter.segment(text)) if (++count > CONVERSATION_NOTE_LENGTH) return false
  return true
}

export const messageQueueFullError = new Conflict({
  message: `id: ${QUEUED_MESSAGES_MAX} messages of the conversation are queued; try again when its channel has accepted some.`
})

export const messageNotFoundError = new NotFound({ message: "before: no such message in the conversation." })

/** `rows` are sorted newest first. A row beyond `MESSAGES_SHOWN` means that older messages exist. */
export const toMessagePage = <Message>(rows: ReadonlyArray<Message>) => ({
  messages: rows.slice(0, MESSAGES_SHOWN),
  has_more: rows.length > MESSAGES_SHOWN
})

/** Lists the inquiry first, unless a stay has the same listing and dates. */
export const buildActivities = <ActivityFields extends ActivityKey>(
  inquiry: ActivityFields | null,
  stays: ReadonlyArray<ActivityFields>
) => {
  const reservations = stays.map((stay) => ({ activity_type: "reservation" as const, ...stay }))
  const isUnbooked = inquiry !== null && !stays.some((stay) => isSameActivity(stay, inquiry))
  const inquiries = isUnbooked ? [{ activity_type: "inquiry" as const, ...inquiry }] : []
  return [...inquiries, ...reservations].slice(0, ACTIVITIES_SHOWN)
}

interface ActivityKey {
  readonly listing_id: string | null
  readonly check_in_date: string | null
  readonly check_out_date: string | null
}

const isSameActivity = (one: ActivityKey, other: ActivityKey): boolean =>
  one.listing_id === other.listing_id &&
  one.check_in_date === other.check_in_date &&
  one.check_out_date === other.check_out_date
