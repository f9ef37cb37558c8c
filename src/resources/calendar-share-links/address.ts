import { unguessable } from "../../random-text.ts"

/** Below which path shared calendars are served. */
export const CALENDAR_PREFIX = "/calendar/"

/** A new token. Its prefix lets telemetry recognise it wherever it lands. */
export const newToken = (): string => `lkcal_${unguessable()}`

const TOKEN = /^lkcal_[0-9a-z]{26}$/

/** Whether the text can be a token at all; anything else needs no look into the database. */
export const isToken = (text: string): boolean => TOKEN.test(text)

/** The address under which a token opens its calendar. */
export const addressOf = (publicUrl: string, token: string): string => `${publicUrl}${CALENDAR_PREFIX}${token}`
