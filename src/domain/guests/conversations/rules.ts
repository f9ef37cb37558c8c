import { Result } from "effect"
import { BadRequest, Conflict, NotFound, ValidationFailed } from "../../../contract/errors.ts"
import { isUpTo } from "../../../contract/fields.ts"
import { ACTIVITIES_SHOWN, CONVERSATION_NOTE, MESSAGES_SHOWN, MESSAGES_WAITING } from "../../../platform/limits.ts"
import { messageLimit } from "../../channels/port/message-limits.ts"

/** What is sent to a guest: a text, an image as base64, or both. */
export interface Sendable {
  /** Empty where there is only an image. */
  readonly text: string
  readonly jpegBase64: string | undefined
}

/** An empty or blank text is none. A text that says something goes as it is. */
export const sendableIn = (payload: {
  readonly message?: string
  readonly jpeg_base64?: string
}): Result.Result<Sendable, BadRequest> => {
  const text = saysSomething(payload.message) ? payload.message : ""
  const jpegBase64 = saysSomething(payload.jpeg_base64) ? payload.jpeg_base64 : undefined
  return text === "" && jpegBase64 === undefined ? Result.fail(nothingToSend) : Result.succeed({ text, jpegBase64 })
}

/** Blanks, and characters that nobody sees, such as U+200B. */
const UNSEEN = /^[\s\p{Cf}]*$/u

const saysSomething = (text: string | undefined): text is string => text !== undefined && !UNSEEN.test(text)

const nothingToSend = new BadRequest({ message: "message, jpeg_base64: give at least one of them." })

/** Whether a channel of the type takes a text so long. */
export const fittingText = (channelType: string, text: string): Result.Result<string, ValidationFailed> => {
  const most = messageLimit(channelType)
  return isUpTo(text, most)
    ? Result.succeed(text)
    : Result.fail(new ValidationFailed({ message: `message: must be at most ${most} characters on ${channelType}.` }))
}

/** Units of UTF-16 for each character of a note, beyond which nobody counts: a family of four has eleven. */
const UNITS_OF_CHARACTER = 16

const characters = new Intl.Segmenter("en", { granularity: "grapheme" })

/** Whether a note is not too long, its characters counted as people do: a family or an accented letter is one (UAX 29). */
export const isNote = (text: string): boolean => {
  if (isUpTo(text, CONVERSATION_NOTE)) return true
  if (text.length > UNITS_OF_CHARACTER * CONVERSATION_NOTE) return false
  let count = 0
  for (const _character of characters.segment(text)) if (++count > CONVERSATION_NOTE) return false
  return true
}

/** 409 for one more message than may wait to be sent. */
export const tooManyWait = new Conflict({
  message: `id: ${MESSAGES_WAITING} messages of the conversation are queued; try again when its channel has accepted some.`
})

/** 404 for a message that is none of the conversation. */
export const noSuchMessage = new NotFound({ message: "before: no such message in the conversation." })

/** Returns a page of messages, and whether there are older ones. `read`: newest first, with one more than a page holds. */
export const newest = <Message>(read: ReadonlyArray<Message>) => ({
  messages: read.slice(0, MESSAGES_SHOWN),
  has_more: read.length > MESSAGES_SHOWN
})

/**
 * What a conversation is about: the stays of its orders, the latest first, and before them what its guest asks for, unless
 * one of the orders is just that.
 */
export const activitiesOf = <About extends AskedFor>(inquiry: About | null, stays: ReadonlyArray<About>) => {
  const reserved = stays.map((stay) => ({ activity_type: "reservation" as const, ...stay }))
  const isOpen = inquiry !== null && !stays.some((stay) => isSame(stay, inquiry))
  const asked = isOpen ? [{ activity_type: "inquiry" as const, ...inquiry }] : []
  return [...asked, ...reserved].slice(0, ACTIVITIES_SHOWN)
}

interface AskedFor {
  readonly listing_id: string | null
  readonly check_in_date: string | null
  readonly check_out_date: string | null
}

const isSame = (one: AskedFor, other: AskedFor): boolean =>
  one.listing_id === other.listing_id &&
  one.check_in_date === other.check_in_date &&
  one.check_out_date === other.check_out_date
