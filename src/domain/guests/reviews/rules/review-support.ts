import type { ChannelType } from "../../../channels/port/channel-type.ts"

/**
 * Contract facts 5.2. `guest`: only guests write reviews. `both`: hosts also review guests and reply. `rated`: hosts
 * also rate by category.
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

export const REVIEWED_CHANNELS = selectChannels((support) => support !== "none")

export const HOST_REVIEW_CHANNELS = selectChannels((support) => support.startsWith("both"))

const CATEGORY_RATING_CHANNELS: ReadonlySet<string> = new Set(selectChannels((support) => support === "both, rated"))

export const supportsHostReviews = (channelType: string): boolean => HOST_REVIEW_CHANNELS.includes(channelType)

export const supportsCategoryRatings = (channelType: string): boolean => CATEGORY_RATING_CHANNELS.has(channelType)
