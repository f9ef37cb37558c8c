import { Schema } from "effect"
import { ChannelType } from "../../channels/port/channel-type.ts"

/** All channels except `direct`, which is for reservations that the host enters. */
export const CalendarChannelType = Schema.Literals(ChannelType.literals.filter((type) => type !== "direct"))
export type CalendarChannelType = typeof CalendarChannelType.Type

const HOST_PATTERNS: ReadonlyArray<readonly [CalendarChannelType, RegExp]> = [
  ["airbnb", /(?:^|\.)airbnb\.[a-z.]+$/],
  ["booking.com", /(?:^|\.)booking\.com$/],
  ["vrbo", /(?:^|\.)(?:vrbo\.com|homeaway\.[a-z.]+|abritel\.fr|fewo-direkt\.de|stayz\.com\.au|bookabach\.co\.nz)$/],
  ["agoda", /(?:^|\.)agoda\.com$/],
  ["expedia", /(?:^|\.)expedia\.[a-z.]+$/],
  ["trip.com", /(?:^|\.)trip\.com$/],
  ["ctrip", /(?:^|\.)ctrip\.com$/],
  ["houfy", /(?:^|\.)houfy\.com$/]
]

/** Returns the channel whose host serves the feed, or undefined for another host. */
export const findChannelOfHost = (host: string): CalendarChannelType | undefined =>
  HOST_PATTERNS.find(([, pattern]) => pattern.test(host.toLowerCase()))?.[0]
