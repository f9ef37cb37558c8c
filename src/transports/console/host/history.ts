import { Effect } from "effect"
import { addDays, startOfDay } from "../../../contract/time.ts"
import { CODE, HISTORY_LOOKED_AT, HISTORY_SHOWN } from "../../../platform/limits.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { type Account, type Happened, History, NOBODY, type Place, type Shown } from "../queries/History.ts"
import type { SignedInVisit } from "../visit.ts"
import { HISTORY_PATH, historyAddress } from "./addresses.ts"
import { type Fill, input, lookingForm, select } from "./fields.ts"
import { byWords, doneWords, itselfWords, recordWords } from "./history/words.ts"
import { hereWith, hostPage } from "./page.ts"
import { dayIn, idIn, link, section, spoken, table, timeOf, zoneOf } from "./parts.ts"

/** What happened: who changed what and when, newest first, narrowed by record, person and time. */
export const makeHistoryPage = Effect.map(History, (history) =>
  hostPage({
    path: HISTORY_PATH,
    show: (visit) => {
      const { operatorId, timeZone } = visit.session.person.caller
      const [from, to] = [dayIn(visit, "from"), dayIn(visit, "to")]
      const wanted = {
        operatorId,
        record: recordIn(visit),
        accountId: accountIn(visit),
        since: from === undefined ? undefined : startOfDay(from, timeZone),
        until: to === undefined ? undefined : startOfDay(addDays(to, 1), timeZone),
        before: placeIn(visit)
      }
      return Effect.map(history.of(wanted), (shown) => ({
        title: titleOf(wanted.record, shown),
        body: html`${narrowing(visit, shown.accounts)}${changes(visit, shown)}${zoneOf(visit)}`
      }))
    }
  })
)

/** Of one record it says of which, by what it is called now. */
const titleOf = (record: string | undefined, { changes: [first] }: Shown): string =>
  record === undefined || first === undefined ? "What happened" : `What happened: ${recordWords(first).words}`

/** Longer than any record's name is. */
const RECORD = 2 * CODE

/** The record that the address names. What a person writes without its kind is the code of a reservation. */
const recordIn = ({ query }: SignedInVisit): string | undefined => {
  const text = (query.get("record") ?? "").trim().slice(0, RECORD)
  if (text === "") return undefined
  return text.includes(":") ? text : `reservation:${text}`
}

const NOBODYS = "nobody"

const accountIn = (visit: SignedInVisit): number | undefined =>
  visit.query.get("by") === NOBODYS ? NOBODY : idIn(visit, "by")

const PLACE = /^(\d{1,14})-(\d{1,15})$/

/** Where the page before has ended. */
const placeIn = ({ query }: SignedInVisit): Place | undefined => {
  const [, at, id] = PLACE.exec(query.get("before") ?? "") ?? []
  return at === undefined || id === undefined ? undefined : { at: new Date(Number(at)), id: Number(id) }
}

const placeText = ({ at, id }: Place): string => `${at.getTime()}-${id}`

const narrowing = (visit: SignedInVisit, accounts: ReadonlyArray<Account>): Html => {
  const { query } = visit
  const fill: Fill = (name) => query.get(name) ?? ""
  const people = [
    ...accounts.map(({ id, name }) => ({ value: id, words: name })),
    { value: NOBODYS, words: "nobody: guests, channels, rules, the service" }
  ]
  const fields = html`${input(fill, { name: "record", label: "Of a reservation", hint: "its code", type: "search", maxlength: RECORD })}${select(fill, { name: "by", label: "By", options: people, none: "anybody" })}${input(fill, { name: "from", label: "From", type: "date" })}${input(fill, { name: "to", label: "To", type: "date" })}`
  const isNarrowed = ["record", "by", "from", "to"].some((name) => (query.get(name) ?? "") !== "")
  return html`${lookingForm(HISTORY_PATH, fields, "Show")}${isNarrowed ? html`<p>${link(HISTORY_PATH, "Everything")}</p>` : nothing}`
}

/** The rows of one request, or of one statement where nobody called, stand together. */
const together = (rows: ReadonlyArray<Happened>): ReadonlyArray<readonly [Happened, ...ReadonlyArray<Happened>]> =>
  Array.from(
    Map.groupBy(
      rows,
      ({ request_id, at, application, operation }) => request_id ?? JSON.stringify([at, application, operation])
    ).values()
  ).flatMap(([first, ...rest]) => (first === undefined ? [] : [[first, ...rest] as const]))

const changes = (visit: SignedInVisit, { changes: all, looked_at, furthest, accounts }: Shown): Html => {
  const rows = all.slice(0, HISTORY_SHOWN)
  const people = new Map(accounts.map((account) => [account.id, account]))
  const list = table(
    { empty: "Nothing was changed." },
    [
      { label: "When", cell: ([{ at }]) => timeOf(at, visit) },
      { label: "Who", cell: ([first]) => whoOf(first, people) },
      { label: "What was done", cell: ([first]) => doneWords(first) },
      { label: "To what", cell: (of) => html`${of.map(touched)}` }
    ],
    together(rows)
  )
  return section("Changes, the latest first", html`${list}${further(visit, all, looked_at, furthest)}`)
}

/** Where it goes on: behind the last that is shown, or behind the last that was looked through for one person's. */
const further = (
  visit: SignedInVisit,
  all: ReadonlyArray<Happened>,
  lookedAt: number,
  furthest: Place | null
): Html => {
  const latest = visit.query.has("before") ? link(hereWith(visit, { before: undefined }), "The latest") : nothing
  const isCut = all.length > HISTORY_SHOWN
  const last = isCut ? all[HISTORY_SHOWN - 1] : furthest
  const isMore = isCut || (accountIn(visit) !== undefined && lookedAt === HISTORY_LOOKED_AT)
  const earlier =
    isMore && last !== undefined && last !== null
      ? link(hereWith(visit, { before: placeText(last) }), "Earlier changes")
      : nothing
  const bounded =
    isMore && !isCut
      ? html`<p>${HISTORY_LOOKED_AT} changes of everybody were looked through${furthest === null ? nothing : html`, back to ${timeOf(furthest.at, visit)}`}. There may be earlier ones of this person.</p>
`
      : nothing
  return latest === nothing && earlier === nothing
    ? nothing
    : html`${bounded}<nav class="pages" aria-label="Pages of the list">${latest} ${earlier}</nav>
`
}

const whoOf = ({ account_id, application }: Happened, people: ReadonlyMap<number, Account>): Html => {
  if (account_id === null) return html`${itselfWords(application)}`
  const account = people.get(account_id)
  const name = account?.name ?? "an account that is gone"
  return html`${name} <span class="soft">${byWords(application)}</span>`
}

const touched = (happened: Happened): Html => {
  const { words, address } = recordWords(happened)
  const fields = happened.fields.map(spoken).join(", ")
  const history = html` <a class="soft" href="${historyAddress(happened.record)}">its history</a>`
  return html`<div>${address === undefined ? words : link(address, words)}${fields === "" ? nothing : html`: ${fields}`}${history}</div>
`
}
