import { PROPERTIES_OFFERED, STAYS_IN_THE_WAY } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { Standing } from "../../queries/FoundStays.ts"
import type { OfferedProperty } from "../../queries/in-the-way.ts"
import { channelWords } from "../channel-words.ts"
import type { Option } from "../fields.ts"
import { badge, dayText } from "../parts.ts"

// What hosts' pages call how a stay stands, where it was booked, and what is in the way of one.

const STATUS: Readonly<Record<Standing, { readonly words: string; readonly kind?: "good" | "bad" | "wait" }>> = {
  wait_accept: { words: "asks for your answer", kind: "wait" },
  wait_pay: { words: "waits for payment", kind: "wait" },
  accepted: { words: "accepted", kind: "good" },
  cancelled: { words: "cancelled", kind: "bad" },
  denied: { words: "turned down", kind: "bad" },
  timeout: { words: "ran out of time", kind: "bad" },
  check_in: { words: "check-in waits for approval", kind: "wait" }
}

/** How reservations can stand, to be chosen from. */
export const STANDINGS: ReadonlyArray<Option> = Object.entries(STATUS).map(([value, { words }]) => ({ value, words }))

export const standingBadge = (status: Standing): Html => badge(STATUS[status].words, STATUS[status].kind)

const STAY_STATUS = { checkin_pending: "not marked as arrived", in_house: "arrived", stay_completed: "left" } as const

export const whereabouts = (status: keyof typeof STAY_STATUS): string => STAY_STATUS[status]

/** Where it was sold. */
export const soldWords = (channelType: string): string =>
  channelType === "direct" ? "entered by hand" : channelWords(channelType)

/** Who stays there: the name, or the code of who has none. */
export const whoOf = (stay: { readonly guest_name: string | null; readonly stay_code: string }): string =>
  stay.guest_name ?? stay.stay_code

const elsewhereWords = ({ elsewhere }: OfferedProperty): string => `busy in the calendar of ${elsewhere.join(", ")}`

/** Those who are in the way, by name as far as they are known. */
export const namesOf = (stays: OfferedProperty["stays"]): string =>
  [...stays.slice(0, STAYS_IN_THE_WAY).map(whoOf), ...(stays.length > STAYS_IN_THE_WAY ? ["others"] : [])].join(", ")

/** The properties that are offered to choose from, and whether there are more. */
export const offeredOf = (all: ReadonlyArray<OfferedProperty>) => ({
  offered: all.slice(0, PROPERTIES_OFFERED),
  more:
    all.length > PROPERTIES_OFFERED
      ? html`<p class="soft">Only the first ${PROPERTIES_OFFERED} properties can be chosen here.</p>
`
      : nothing
})

/** A property to be chosen, and beside it what is in the way there; `taken` says what becomes of who stays there. */
export const propertyOption = (
  property: OfferedProperty,
  taken: (names: string) => string = (names) => `taken by ${names}`
): Option => {
  const { id, title, deactivated, stays, closed, elsewhere } = property
  const why = [
    ...(deactivated ? ["turned off"] : []),
    ...(elsewhere.length > 0 ? [elsewhereWords(property)] : []),
    ...(stays.length > 0 ? [taken(namesOf(stays))] : []),
    ...(closed > 0 ? ["closed by you"] : [])
  ]
  return { value: id, words: why.length === 0 ? title : `${title} (${why.join("; ")})` }
}

/** What keeps a stay from going into a property, a sentence each, and what does not but should be known. */
export const reasonsOf = (
  property: OfferedProperty
): { readonly against: ReadonlyArray<string>; readonly note: ReadonlyArray<string> } => ({
  against: [
    ...(property.deactivated ? [`${property.title} is turned off.`] : []),
    ...property.stays
      .slice(0, STAYS_IN_THE_WAY)
      .map(
        (stay) => `${whoOf(stay)} stays there from ${dayText(stay.check_in_date)} to ${dayText(stay.check_out_date)}.`
      ),
    ...(property.stays.length > STAYS_IN_THE_WAY ? ["Others stay there after them."] : []),
    ...(property.elsewhere.length > 0 ? [`It is ${elsewhereWords(property)}.`] : [])
  ],
  note:
    property.closed === 0
      ? []
      : [
          `You closed ${property.closed === 1 ? "one of these nights" : `${property.closed} of these nights`}: a reservation by hand can be entered all the same.`
        ]
})
