import { unguessable } from "../../../platform/random-text.ts"
import { UNREADABLE_ADDRESS } from "../../addresses.ts"

/** Below which path shared calendars are served. */
export const CALENDAR_PREFIX = "/calendar/"

/** A new token. Its prefix lets telemetry recognise it wherever it lands. */
export const newToken = (): string => `lkcal_${unguessable()}`

const TOKEN = /^lkcal_[0-9a-z]{26}$/

/** Whether the text can be a token at all; anything else needs no look into the database. */
export const isToken = (text: string): boolean => TOKEN.test(text)

/** Whether an address is one, and not the words for one that does not open. */
export const isAddress = (url: string): boolean => url !== UNREADABLE_ADDRESS

/** The address under which a token opens its calendar; of one that does not open itself, that this is so. */
export const addressOf = (publicUrl: string, token: string | undefined): string =>
  token === undefined ? UNREADABLE_ADDRESS : `${publicUrl}${CALENDAR_PREFIX}${token}`
