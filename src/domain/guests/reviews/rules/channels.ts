import type { ChannelType } from "../../../channels/port/channel-type.ts"

// On which channels there are reviews, and what a host can write there (contract facts 5.2; docs/decisions.md, Reviews).

/**
 * `none`: a stay sold there is not reviewed. `guest`: guests review it. `both`: hosts review their guests too, and reply to
 * them, from here; `rated`: with a rating in each category besides.
 */
type Reviewing = "none" | "guest" | "both" | "both, rated"

const REVIEWING: Readonly<Record<ChannelType, Reviewing>> = {
  airbnb: "both, rated",
  "booking.com": "guest",
  agoda: "guest",
  expedia: "guest",
  vrbo: "guest",
  "trip.com": "guest",
  booking_site: "guest",
  tujia_intl: "guest",
  direct: "none",
  tujia: "guest",
  xiaozhu: "guest",
  meituan_bnb: "guest",
  meituan_hotel: "guest",
  muniao: "guest",
  fliggy: "guest",
  zhukeyun: "none",
  tiktok: "none",
  xiaohongshu: "none",
  ctrip: "both",
  houfy: "guest"
}

const channelsThat = (fits: (reviewing: Reviewing) => boolean): ReadonlyArray<string> =>
  Object.entries(REVIEWING).flatMap(([channel, reviewing]) => (fits(reviewing) ? [channel] : []))

/** Where orders have a record. */
export const REVIEWED_CHANNELS = channelsThat((reviewing) => reviewing !== "none")

/** Where hosts write, too. */
export const HOST_CHANNELS = channelsThat((reviewing) => reviewing.startsWith("both"))

const RATED_CHANNELS: ReadonlySet<string> = new Set(channelsThat((reviewing) => reviewing === "both, rated"))

export const hostWritesOn = (channelType: string): boolean => HOST_CHANNELS.includes(channelType)

/** Whether a host's ratings by category mean something there. */
export const takesRatings = (channelType: string): boolean => RATED_CHANNELS.has(channelType)
