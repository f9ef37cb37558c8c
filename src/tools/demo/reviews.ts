import type { AccountHistory } from "../../connectors/sandbox/history-import.ts"
import { formatUtcInstant, startOfDay } from "../../contract/time.ts"
import type { DemoOrder } from "./orders.ts"

type DemoReview = AccountHistory["reviews"][number]

const lastCheckOut = ({ stays }: DemoOrder): string =>
  stays
    .map(({ checkOut }) => checkOut)
    .toSorted()
    .at(-1) ?? ""

/** No review may be in the future. */
const listDepartedOrders = (
  orders: ReadonlyArray<DemoOrder>,
  channelType: string,
  today: string
): ReadonlyArray<DemoOrder> =>
  orders
    .filter((order) => order.channelType === channelType && order.status === "accepted" && lastCheckOut(order) < today)
    .toSorted((one, other) => (lastCheckOut(one) < lastCheckOut(other) ? 1 : -1))

const toSubScores = (cleanliness: number, location: number) =>
  [
    { category: "cleanliness", rating: cleanliness },
    { category: "location", rating: location },
    { category: "communication", rating: 5 }
  ] as const

export const makeDemoReviews = (
  orders: ReadonlyArray<DemoOrder>,
  channelType: string,
  today: string,
  timeZone: string
): ReadonlyArray<DemoReview> => {
  const templates = REVIEW_TEMPLATES[channelType] ?? []
  return listDepartedOrders(orders, channelType, today)
    .slice(0, templates.length)
    .flatMap((order, index) => {
      const dayStartMs = startOfDay(lastCheckOut(order), timeZone).getTime()
      return (
        templates[index]?.({ channel_id: order.channelId }, (hour) =>
          formatUtcInstant(new Date(dayStartMs + hour * MS_AN_HOUR))
        ) ?? []
      )
    })
}

const MS_AN_HOUR = 3_600_000

/** `atHour` takes hours after the start of the check-out day, at most 22, because a day can have only 23 hours. */
type ReviewTemplate = (order: Pick<DemoReview, "channel_id">, atHour: (hours: number) => string) => DemoReview

const REVIEW_TEMPLATES: Readonly<Record<string, ReadonlyArray<ReviewTemplate>>> = {
  airbnb: [
    (order, atHour) => ({
      ...order,
      guest_review: {
        score: 5,
        sub_score: toSubScores(5, 5),
        content: "Maravilhoso! A vista ao fim da tarde é inesquecível. 🌇",
        created_at: atHour(17)
      }
    }),
    (order, atHour) => ({
      ...order,
      guest_review: {
        score: 4,
        sub_score: toSubScores(4, 5),
        content: "Great flat and a kind host. The shower could be warmer.",
        created_at: atHour(15)
      },
      host_review: { score: 5, content: "Left everything tidy, welcome back any time.", created_at: atHour(19) },
      host_reply: { content: "Thank you! The boiler was mended the day after.", created_at: atHour(20) }
    }),
    (order, atHour) => ({
      ...order,
      guest_review: {
        score: 5,
        sub_score: toSubScores(5, 4),
        content: "清潔で快適でした。ありがとうございました！",
        created_at: atHour(18)
      },
      host_review: { score: 4, content: "Friendly guests, a little late with the keys.", created_at: atHour(21) }
    })
  ],
  "booking.com": [
    (order, atHour) => ({
      ...order,
      guest_review: {
        score: 4.5,
        sub_score: [
          { category: "staff", rating: 10 },
          { category: "clean", rating: 9 },
          { category: "value", rating: 8 }
        ],
        content: "Alles wie beschrieben, sehr ruhig.",
        created_at: atHour(16)
      }
    })
  ]
}
