import { Schema } from "effect"

/** Contract facts 0.4. `direct` means manual orders. */
export const ChannelType = Schema.Literals([
  "airbnb",
  "booking.com",
  "agoda",
  "expedia",
  "vrbo",
  "trip.com",
  "booking_site",
  "tujia_intl",
  "direct",
  "tujia",
  "xiaozhu",
  "meituan_bnb",
  "meituan_hotel",
  "muniao",
  "fliggy",
  "zhukeyun",
  "tiktok",
  "xiaohongshu",
  "ctrip",
  "houfy"
])
export type ChannelType = typeof ChannelType.Type
