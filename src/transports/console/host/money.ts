import { DateTime, Effect } from "effect"
import { type Direction, search_transactions } from "../../../domain/money/contract.ts"
import { Service } from "../../../service/service.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { EntryChoices } from "../queries/EntryChoices.ts"
import { type Summed, Sums } from "../queries/Sums.ts"
import type { SignedInVisit } from "../visit.ts"
import { MONEY_PATH, moneyCsvAddress } from "./addresses.ts"
import { doing, reading } from "./asking.ts"
import { filling, givenIn, input, lookingForm, select, touchedIn } from "./fields.ts"
import { entriesTable } from "./money/entries.ts"
import { CHANGEABLE, DIRECTIONS, NEW, newEntry, oneEntry } from "./money/form.ts"
import {
  askedIn,
  type Days,
  isCut,
  listedDays,
  type MoneyAsked,
  shownOf,
  sumsAsked,
  wrongWith
} from "./money/period.ts"
import { sumsOf } from "./money/sums.ts"
import { type HostAct, type HostView, hereWith, hostPage, type NotTaken, notThere } from "./page.ts"
import { dayText, idIn, link, offsetIn, pages, section, zoneOf } from "./parts.ts"

/** Entries a page of the list has. */
const LISTED = 50

/** Income and expenses of a period, what they come to, and a file of them; new ones are entered here and old ones mended. */
export const makeMoneyPage = Effect.gen(function* () {
  const [service, sums, choices] = [yield* Service, yield* Sums, yield* EntryChoices]
  const search = reading(service, search_transactions)
  const TITLE = "Money"

  const added = Effect.fnUntraced(function* (
    visit: SignedInVisit,
    direction: Direction,
    asked: MoneyAsked,
    notTaken?: NotTaken
  ) {
    const toChoose = yield* choices.of(visit.session.person.caller.operatorId, direction, asked.order)
    return { title: TITLE, body: newEntry(visit, direction, toChoose, asked, notTaken) }
  })

  const changed = Effect.fnUntraced(function* (visit: SignedInVisit, id: number, notTaken?: NotTaken) {
    const [entry] = (yield* search(visit, { id })).transactions
    if (entry === undefined) return notThere(TITLE, "There is no such entry: it may have been deleted.")
    const toChoose = yield* choices.of(visit.session.person.caller.operatorId, entry.direction)
    return { title: TITLE, body: oneEntry(visit, entry, toChoose, notTaken) }
  })

  const listed = Effect.fnUntraced(function* (visit: SignedInVisit, asked: MoneyAsked, now: Date) {
    const summed = yield* sums.of(visit.session.person.caller.operatorId, sumsAsked(asked, visit))
    const days = listedDays(asked, summed, visit, now)
    const offset = offsetIn(visit)
    const found = yield* search(visit, {
      ...{ start_date: days.from, end_date: days.to, limit: LISTED, offset },
      ...(asked.property === undefined ? {} : { property_id: asked.property }),
      ...(asked.order === undefined ? {} : { reservation_code: asked.order })
    })
    return {
      title: TITLE,
      body: html`<p>${dayText(days.from)} to ${dayText(days.to)}${narrowing(visit, asked, summed)}</p>
${looking(visit, days, asked, summed)}
<p class="acts noprint">${link(hereWith(visit, { add: "income" }), "Enter an income")} ${link(hereWith(visit, { add: "expense" }), "Enter an expense")} ${link(moneyCsvAddress(shownOf(asked)), "A file of these for a spreadsheet")} ${link("#entries", "To the entries")}</p>
${sumsOf(visit, summed)}${section(`Entries (${found.total})`, html`${isCut(asked, days, summed, visit) ? html`<p>Those after ${dayText(days.to)} are not listed: name days to see them. The sums and the file have them all.</p>` : nothing}${entriesTable(visit, found.transactions, summed.properties)}${pages(visit, { offset, limit: LISTED, total: found.total })}`, "entries")}
${zoneOf(visit)}`
    }
  })

  const show = Effect.fnUntraced(function* (visit: SignedInVisit, notTaken?: NotTaken) {
    const now = yield* DateTime.nowAsDate
    const asked = askedIn(visit, now)
    const add = visit.query.get("add")
    const change = idIn(visit, "change")
    if (isDirection(add)) return yield* added(visit, add, asked, notTaken)
    if (change !== undefined) return yield* changed(visit, change, notTaken)
    const wrong = wrongWith(asked)
    return wrong === undefined ? yield* listed(visit, asked, now) : mended(visit, asked, wrong)
  })

  return hostPage({
    path: MONEY_PATH,
    // A property or an order that there is not is no failure of the page.
    show: (visit, notTaken) =>
      Effect.catch(show(visit, notTaken), (refused) =>
        refused.status === 404 ? Effect.succeed(notThere(TITLE, refused.words)) : Effect.fail(refused)
      ),
    acts: actsOf(doing(service))
  })
})

const ID = { id: CHANGEABLE.item_id }

const actsOf = (act: ReturnType<typeof doing>): Readonly<Record<string, HostAct>> => ({
  record: {
    done: "The entry is recorded.",
    run: (visit, form) => Effect.as(act(visit, form, "create_transaction", givenIn(form, NEW)), onward(visit, "add"))
  },
  change: {
    done: "The entry is changed.",
    run: (visit, form) =>
      Effect.as(
        act(visit, form, "update_transaction", { ...givenIn(form, ID), ...touchedIn(form, CHANGEABLE) }),
        onward(visit, "change")
      )
  },
  settle: {
    done: "The entry is marked as paid.",
    run: (visit, form) =>
      Effect.as(
        act(visit, form, "update_transaction", { ...givenIn(form, ID), status: "paid" }),
        onward(visit, "change")
      )
  },
  delete: {
    done: "The entry is deleted.",
    run: (visit, form) => Effect.as(act(visit, form, "delete_transaction", givenIn(form, ID)), onward(visit, "change"))
  }
})

const onward = (visit: SignedInVisit, form: string) =>
  ({ _tag: "GoOn", to: hereWith(visit, { [form]: undefined }) }) as const

const isDirection = (text: string | null): text is Direction => text !== null && Object.hasOwn(DIRECTIONS, text)

/** To what the list is narrowed, and how it is made wide again. */
const narrowing = (visit: SignedInVisit, { property, order }: MoneyAsked, { properties }: Summed): Html => {
  if (property === undefined && order === undefined) return nothing
  const title = properties.find(({ id }) => id === property)?.title
  const to = [...(title === undefined ? [] : [title]), ...(order === undefined ? [] : [`reservation ${order}`])]
  const all = hereWith(visit, { property: undefined, order: undefined, offset: undefined })
  return html`, ${to.join(", ")}. ${link(all, "Show all")}`
}

const looking = (visit: SignedInVisit, days: Days, { property, order }: MoneyAsked, summed?: Summed): Html => {
  const fill = filling(undefined, "")
  return lookingForm(
    visit.path,
    html`${input(fill, { name: "from", label: "From", type: "date", value: days.from })}${input(fill, { name: "to", label: "To", type: "date", value: days.to })}${
      summed === undefined
        ? nothing
        : select(fill, {
            name: "property",
            label: "Property",
            none: "All",
            value: property ?? "",
            options: summed.properties.map(({ id, title }) => ({ value: id, words: title }))
          })
    }${input(fill, { name: "order", label: "Reservation", hint: "its code", value: order ?? "" })}`,
    "Show"
  )
}

const mended = (visit: SignedInVisit, asked: MoneyAsked, wrong: string): HostView => ({
  title: "Money",
  body: html`<p class="message error" role="alert">${wrong}</p>
${asked.days === undefined ? nothing : looking(visit, asked.days, asked)}`
})
