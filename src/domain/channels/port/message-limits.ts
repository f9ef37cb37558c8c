import { MESSAGE_LENGTH } from "../../../platform/limits.ts"

// Limits of this service; the specification sets none. A channel with a lower limit rejects the message itself.

const MESSAGE_LIMITS: ReadonlyMap<string, number> = new Map([
  ["airbnb", 10_000],
  ["booking.com", 10_000],
  ["expedia", 5_000],
  ["vrbo", 5_000],
  ["agoda", 4_000],
  ["trip.com", 4_000],
  ["ctrip", 4_000]
])

export const getMessageLimit = (channelType: string): number => MESSAGE_LIMITS.get(channelType) ?? MESSAGE_LENGTH
