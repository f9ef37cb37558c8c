import { ChannelType } from "../../../domain/channels/port/channel-type.ts"
import type { Option } from "./fields.ts"

// What people call the places where something is sold.

const NAMES: Readonly<Record<ChannelType, string>> = {
  airbnb: "Airbnb",
  "booking.com": "Booking.com",
  agoda: "Agoda",
  expedia: "Expedia",
  vrbo: "Vrbo",
  "trip.com": "Trip.com",
  booking_site: "Booking site",
  tujia_intl: "Tujia International",
  direct: "Direct",
  tujia: "Tujia",
  xiaozhu: "Xiaozhu",
  meituan_bnb: "Meituan B&B",
  meituan_hotel: "Meituan Hotel",
  muniao: "Muniao",
  fliggy: "Fliggy",
  zhukeyun: "Zhukeyun",
  tiktok: "TikTok",
  xiaohongshu: "Xiaohongshu",
  ctrip: "Ctrip",
  houfy: "Houfy"
}

const words = new Map<string, string>(Object.entries(NAMES))

/** A channel for people; what is none is as it is. */
export const channelWords = (type: string): string => words.get(type) ?? type

export const CHANNELS: ReadonlyArray<Option> = ChannelType.literals.map((value) => ({ value, words: NAMES[value] }))
