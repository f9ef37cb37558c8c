import type { Service } from "./service.ts"

// What the tasks are about: the demo operator as it is, and some records of the evaluation's own, far from its days.

export type Ground = Awaited<ReturnType<typeof prepared>>

export const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

interface Named {
  readonly id: number
  readonly title: string
}

/** A direct booking, of which `received` was paid in cash. */
const bookingOf = async (
  service: Service,
  property_id: number,
  guest_name: string,
  first: number,
  rate_amount: number,
  received_amount: number
): Promise<string> => {
  const { reservation_code } = await service.data("POST", "/reservations", {
    property_id,
    guest_name,
    check_in_date: inDays(first),
    check_out_date: inDays(first + 3),
    custom_channel_id: 30,
    currency: "GBP",
    rate_amount,
    commission_amount: 0,
    received_amount,
    income_method_id: 197
  })
  return reservation_code
}

/** Makes what the tasks need, once for all of them: they do not touch each other's records. */
export const prepared = async (service: Service) => {
  const { properties } = await service.data("GET", "/properties?limit=100&fields=id,title")
  const flat = (part: string): Named => {
    const found = properties.find(({ title }: Named) => title.includes(part))
    if (found === undefined) throw new Error(`the demo has no ${part}`)
    return found
  }
  const leith = flat("Leith Harbour 2")
  const lodge = flat("Old Town Lodge")
  const mews = flat("Stockbridge Mews")
  const { staffs } = await service.data("GET", "/staffs?is_active=1")
  const cleaner = staffs.find(({ property_ids }: { property_ids: ReadonlyArray<number> }) => property_ids.length === 0)
  const { conversations } = await service.data("GET", "/conversations?limit=10")
  const entry = { direction: "expense", currency: "GBP", item_id: 52, payment_method_id: 301, property_id: mews.id }
  const laundry = await service.data("POST", "/transactions", { ...entry, amount: 31, note: "Laundry of the Mews" })
  const twice = await service.data("POST", "/transactions", { ...entry, amount: 27.5, note: "Light bulbs" })
  await service.data("POST", "/transactions", { ...entry, amount: 27.5, note: "Light bulbs" })
  const task = (note: string) =>
    service.data("POST", "/tasks", { type: "cleaning", property_id: lodge.id, expected_date: inDays(310), note })
  const belem = flat("Belém Garden Studio")
  const closed = { start_date: inDays(300), end_date: inDays(306) }
  await service.data("POST", "/availabilities", { property_ids: [belem.id], available: false, ...closed })
  const { reservations } = await service.data("GET", "/reservations?status=wait_accept&limit=10")
  const { knowledge_bases } = await service.data("GET", "/knowledge_bases?limit=100")
  const { actions } = await service.data("GET", "/automation/actions?type=message&limit=100")
  const { listings } = await service.data("GET", "/listings?channel_type=airbnb&limit=100")
  return {
    flat,
    cleaner,
    conversation: conversations[0],
    /** Paid in part, paid in part, to be cancelled, to be moved. */
    holm: await bookingOf(service, leith.id, "Mira Holm", 300, 420, 120),
    berg: await bookingOf(service, leith.id, "Nils Berg", 310, 390, 0),
    okoye: await bookingOf(service, leith.id, "Ada Okoye", 320, 405, 0),
    laundry: laundry.transaction_id,
    duplicate: twice.transaction_id,
    doneTask: (await task("Windows too")).task_id,
    looseTask: (await task("Bring the new kettle")).task_id,
    closed,
    request: reservations[0],
    parking: knowledge_bases.find(({ title }: Named) => title === "Parking"),
    /** The last of them: the first may be sent while others work. */
    message: actions.at(-1),
    listingOf: (property: Named) => listings.find(({ title }: Named) => title === property.title)
  }
}
