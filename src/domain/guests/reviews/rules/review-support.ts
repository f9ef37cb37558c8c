import type { ChannelType } from "../../../channels/port/channel-type.ts"

// On which channels there are reviews, and what a host can write there (contract facts 5.2; docs/decisions.md, Reviews).

/**
 * `none`: a stay sold there is not reviewed. `guest`: guests review it. `both`: hosts review their guests too, and reply to
 * them, from here; `rated`: with a rating in each category besides.
 */
type ReviewSupport = "none" | "guest" | "both" | "both, rated"

const REVIEW_SUPPORT: Readonly<Record<ChannelType, ReviewSupport>> = {
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

const selectChannels = (matches: (support: ReviewSupport) => boolean): ReadonlyArray<string> =>
  Object.entries(REVIEW_SUPPORT).flatMap(([channel, support]) => (matches(support) ? [channel] : []))

/** Where orders have a record. */
export const REVIEWED_CHANNELS = selectChannels((support) => support !== "none")

/** Where hosts write, too. */
export const HOST_REVIEW_CHANNELS = selectChannels((support) => support.startsWith("both"))

const CATEGORY_RATING_CHANNELS: ReadonlySet<string> = new Set(selectChannels((support) => support === "both, rated"))

export const supportsHostReviews = (channelType: string): boolean => HOST_REVIEW_CHANNELS.includes(channelType)

/** Whether a host's ratings by category mean something there. */
export const supportsCategoryRatings = (channelType: string): boolean => CATEGORY_RATING_CHANNELS.has(channelType)
