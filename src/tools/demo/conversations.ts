import type { HistoricThread } from "../../connectors/sandbox/history-import.ts"
import { addDays, dateInZone } from "../../contract/time.ts"
import { bookerOf } from "./guests.ts"
import { listingIdOf } from "./listings.ts"
import type { DemoOrder } from "./orders.ts"
import { DEMO_PROPERTIES } from "./properties.ts"

/** Messages, oldest first: `?` from the guest, `!` from the host. */
type Script = ReadonlyArray<`${"?" | "!"} ${string}`>

const SCRIPTS: Readonly<Record<string, Script>> = {
  "Ines Carvalho": [
    "? Olá! Podemos deixar as malas antes do check-in? 🧳",
    "! Claro, a partir do meio-dia. A chave está no cofre à direita da porta.",
    "? Perfeito, muito obrigada! 😊"
  ],
  "Tom Abernathy": ["? Hi, is there parking nearby?", "! There is a garage two streets away, 15 a day."],
  "Marta Nowak": ["? Dzień dobry, czy jest łóżeczko dla dziecka?", "! Tak, przygotujemy łóżeczko i krzesełko."],
  "Jonas Weber": [
    "? Guten Tag, gibt es einen Aufzug? Wir kommen mit Gepäck für vier.",
    "! Ja, bis in den dritten Stock."
  ],
  "Aiko Tanaka": ["? こんにちは。チェックインは何時までできますか？✈️", "! 24時までです。お気をつけてお越しください 🙏"],
  "Luca Ferri": ["? Buongiorno! Possiamo portare il nostro cane? 🐕", "! Certo, è il benvenuto."],
  "Chloé Martin": ["? Bonjour, à quelle heure peut-on arriver ?", "! Dès 15 h, ou plus tôt si le ménage est fini."],
  "Daniel Okafor": [
    "? Good evening! We land at 22:40, is a late arrival fine?",
    "! No problem, you get in with the code."
  ],
  "Sofia Lindqvist": ["? Hej! Finns det en tvättmaskin?", "! Ja, i köket, och tvättmedel finns också."],
  "Rafael Ortega": ["? Hola, ¿la terraza es privada? 🌞", "! Sí, solo vuestra, con vistas al río."],
  "Grace Murphy": ["? Hello! Could we have an extra set of towels?", "! Of course, they will be on the bed. 🛏️"]
}

const toMessages = (script: Script, minutesBetween: number, end: Date): HistoricThread["messages"] =>
  script.map((line, index) => ({
    sender: line.startsWith("?") ? "guest" : "host",
    text: line.slice(2),
    sentAt: new Date(end.getTime() - (script.length - index) * minutesBetween * 60_000)
  }))

/** All guests of this channel have a thread. On each other marketplace only one guest has a thread. */
export const MESSAGING_CHANNEL = "airbnb"

const firstOrderByGuest = (orders: ReadonlyArray<DemoOrder>): ReadonlyMap<string, DemoOrder> => {
  const first = new Map<string, DemoOrder>()
  const channels = new Set<string>()
  for (const order of orders) {
    const { channelType } = order
    if (channelType === "direct" || (channelType !== MESSAGING_CHANNEL && channels.has(channelType))) continue
    channels.add(channelType)
    if (!first.has(toGuestKey(order))) first.set(toGuestKey(order), order)
  }
  return first
}

const toGuestKey = (order: DemoOrder): string => `${order.channelType} ${bookerOf(order).email}`

export interface DemoThreads {
  readonly forChannel: (channelType: string) => ReadonlyArray<HistoricThread>
  readonly threadIdOf: (order: DemoOrder) => string | undefined
}

const toThreadId = (number: number): string => String(520_048_111 + number * 7_393)

export const makeDemoThreads = (orders: ReadonlyArray<DemoOrder>, now: Date, timeZone: string): DemoThreads => {
  const guests = Array.from(firstOrderByGuest(orders))
  const threadIds = new Map(guests.map(([key], number) => [key, toThreadId(number)]))
  const bookedThreads = guests.map(([key, order], number) => {
    const { name, phone, email } = bookerOf(order)
    const end = new Date(now.getTime() - (guests.length - number) * 5 * 3_600_000)
    const thread: HistoricThread = {
      threadId: threadIds.get(key) ?? key,
      guest: { name, phone, email },
      inquiry: null,
      messages: toMessages(SCRIPTS[name] ?? ["? Hello!"], 35 + number, end),
      offers: []
    }
    return { channelType: order.channelType, thread }
  })
  const inquiryThreads = makeInquiryThreads(dateInZone(now, timeZone), now)
  return {
    forChannel: (channelType) => [
      ...bookedThreads.flatMap((each) => (each.channelType === channelType ? [each.thread] : [])),
      ...(channelType === MESSAGING_CHANNEL ? inquiryThreads : [])
    ],
    threadIdOf: (order) => threadIds.get(toGuestKey(order))
  }
}

const [GRACA, BELEM] = [2, 3]

const makeInquiryThreads = (today: string, now: Date): ReadonlyArray<HistoricThread> => {
  const toInquiry = (property: number, from: number, nights: number, adults: number) => ({
    listing_id: listingIdOf(MESSAGING_CHANNEL, property),
    check_in_date: addDays(today, from),
    check_out_date: addDays(today, from + nights),
    number_of_adults: adults
  })
  const offerInquiry = toInquiry(BELEM, 60, 7, 2)
  const price = (DEMO_PROPERTIES[BELEM]?.nightlyPrice ?? 0) * 6
  return [
    {
      threadId: "520911734",
      guest: { name: "林小雨" },
      inquiry: toInquiry(GRACA, 55, 4, 3),
      messages: toMessages(["? 您好！请问公寓离地铁站远吗？我们带一个小孩 👶"], 20, now),
      offers: []
    },
    {
      threadId: "520933871",
      guest: { name: "ليلى حداد", email: "layla.haddad@example.com" },
      inquiry: offerInquiry,
      messages: toMessages(
        ["? مرحبا، هل يمكن الحصول على سعر خاص لأسبوع كامل؟ 🙏", "! أهلاً بك! أرسلت لك عرضاً: سبع ليالٍ بسعر ست."],
        25,
        now
      ),
      offers: [
        {
          offerId: "931004417",
          reference: "demo-week-for-six-nights",
          threadId: "520933871",
          offerType: "special_offer",
          listingId: offerInquiry.listing_id,
          ratePlanId: null,
          checkInDate: offerInquiry.check_in_date,
          checkOutDate: offerInquiry.check_out_date,
          numberOfAdults: offerInquiry.number_of_adults,
          numberOfChildren: 0,
          numberOfInfants: 0,
          numberOfPets: 0,
          price,
          currency: "EUR",
          createdAt: new Date(now.getTime() - 20 * 60_000)
        }
      ]
    }
  ]
}
