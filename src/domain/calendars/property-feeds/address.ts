import { unguessable } from "../../../platform/random-text.ts"
import { UNREADABLE_ADDRESS } from "../../addresses.ts"

/** Below which path the feeds of properties are served. */
export const FEEDS_PREFIX = "/feeds/"

/** What the address of a feed ends with: marketplaces take no other. */
export const FEED_ENDING = ".ics"

/** A new token. Its prefix lets telemetry recognise it wherever it lands. */
export const newToken = (): string => `lkfeed_${unguessable()}`

const TOKEN = /^lkfeed_[0-9a-z]{26}$/

/** Whether the text can be a token at all; anything else needs no look into the database. */
export const isToken = (text: string): boolean => TOKEN.test(text)

/** The address at which the feed of a token is read; of one that does not open, that this is so. */
export const addressOf = (publicUrl: string, token: string | undefined): string =>
  token === undefined ? UNREADABLE_ADDRESS : `${publicUrl}${FEEDS_PREFIX}${token}${FEED_ENDING}`
