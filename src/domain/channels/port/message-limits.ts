import { MESSAGE_LENGTH } from "../../../platform/limits.ts"

// How long a message to a guest may be, by channel. No channel's number is in the specification: these are the service's own, and
// a channel that takes less refuses the message itself.

const MESSAGE_LIMITS: ReadonlyMap<string, number> = new Map([
  ["airbnb", 10_000],
  ["booking.com", 10_000],
  ["expedia", 5_000],
  ["vrbo", 5_000],
  ["agoda", 4_000],
  ["trip.com", 4_000],
  ["ctrip", 4_000]
])

/** Characters of one message that a channel of the type takes. */
export const getMessageLimit = (channelType: string): number => MESSAGE_LIMITS.get(channelType) ?? MESSAGE_LENGTH
