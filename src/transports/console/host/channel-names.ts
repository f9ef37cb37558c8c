import { ChannelType } from "../../../domain/channels/port/channel-type.ts"
import type { SelectOption } from "./form-fields.ts"

const CHANNEL_NAMES: Readonly<Record<ChannelType, string>> = {
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

const namesByType = new Map<string, string>(Object.entries(CHANNEL_NAMES))

export const channelName = (type: string): string => namesByType.get(type) ?? type

export const CHANNEL_OPTIONS: ReadonlyArray<SelectOption> = ChannelType.literals.map((value) => ({
  value,
  label: CHANNEL_NAMES[value]
}))
