import { Effect } from "effect"
import { addDays, startOfDay } from "../../../contract/time.ts"
import { type AuditPosition, formatAuditCursor, parseAuditCursor } from "../../../domain/audit-log/audit-range.ts"
import { ACTIVITY_LOG_SCANNED, ACTIVITY_LOG_SHOWN, AUDIT_RECORD_LENGTH } from "../../../platform/limits.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import {
  type AuditLogAccount,
  type AuditLogChange,
  type AuditLogPage,
  History,
  NO_ACCOUNT
} from "../queries/History.ts"
import type { SignedInVisit } from "../visit.ts"
import { actionLabel, applicationLabel, systemActorLabel, toRecordLabel } from "./activity-log/activity-labels.ts"
import { FIELD_WORDS } from "./field-words.ts"
import { disclosure, type FieldFiller, input, queryForm, select } from "./form-fields.ts"
import { makeHostPage } from "./host-page.ts"
import { link, readDateParam, readIdParam, section, table, timeHtml, timeZoneNote, toWords } from "./page-parts.ts"
import { currentUrlWith } from "./page-url.ts"
import { ACTIVITY_LOG_PATH, activityLogUrl } from "./urls.ts"

export const makeActivityLogPage = Effect.map(History, (history) =>
  makeHostPage({
    path: ACTIVITY_LOG_PATH,
    show: (visit) => {
      const { timeZone } = visit.session.person.caller
      const [from, to] = [readDateParam(visit, "from"), readDateParam(visit, "to")]
      const filters = {
        record: readRecord(visit),
        accountId: readAccountFilter(visit),
        since: from === undefined ? undefined : startOfDay(from, timeZone),
        until: to === undefined ? undefined : startOfDay(addDays(to, 1), timeZone),
        before: readCursor(visit)
      }
      return Effect.map(history.of(filters), (logPage) => ({
        title: pageTitle(filters.record, logPage),
        body: html`${filterForm(visit, logPage.accounts)}${changesSection(visit, logPage)}${timeZoneNote(visit)}`
      }))
    }
  })
)

const pageTitle = (record: string | undefined, { changes: [first] }: AuditLogPage): string =>
  record === undefined || first === undefined ? "Activity log" : `Activity: ${toRecordLabel(first).label}`

/** A text without a record kind is a reservation code. */
const readRecord = ({ query }: SignedInVisit): string | undefined => {
  const text = (query.get("record") ?? "").trim().slice(0, AUDIT_RECORD_LENGTH)
  if (text === "") return undefined
  return text.includes(":") ? text : `reservation:${text}`
}

const SYSTEM_FILTER = "nobody"

const readAccountFilter = (visit: SignedInVisit): number | undefined =>
  visit.query.get("by") === SYSTEM_FILTER ? NO_ACCOUNT : readIdParam(visit, "by")

const readCursor = ({ query }: SignedInVisit): AuditPosition | undefined => parseAuditCursor(query.get("before") ?? "")

const filterForm = (visit: SignedInVisit, accounts: ReadonlyArray<AuditLogAccount>): Html => {
  const { query } = visit
  const fillField: FieldFiller = (name) => query.get(name) ?? ""
  const actorOptions = [
    ...accounts.map(({ id, name }) => ({ value: id, label: name })),
    { value: SYSTEM_FILTER, label: "System & guests" }
  ]
  const fields = html`${input(fillField, { name: "record", label: "Reservation code", type: "search", maxlength: AUDIT_RECORD_LENGTH })}${select(fillField, { name: "by", label: "Who", options: actorOptions, emptyLabel: "Everyone" })}${input(fillField, { name: "from", label: "From", type: "date" })}${input(fillField, { name: "to", label: "To", type: "date" })}`
  const isFiltered = ["record", "by", "from", "to"].some((name) => (query.get(name) ?? "") !== "")
  return html`${queryForm(ACTIVITY_LOG_PATH, fields, "Filter")}${isFiltered ? html`<p>${link(ACTIVITY_LOG_PATH, "Clear filters")}</p>` : nothing}`
}

/** Changes without a request id form one group if time, application and operation are equal. */
const groupByRequest = (
  rows: ReadonlyArray<AuditLogChange>
): ReadonlyArray<readonly [AuditLogChange, ...ReadonlyArray<AuditLogChange>]> =>
  Array.from(
    Map.groupBy(
      rows,
      ({ request_id, at, application, operation }) => request_id ?? JSON.stringify([at, application, operation])
    ).values()
  ).flatMap(([first, ...others]) => (first === undefined ? [] : [[first, ...others] as const]))

const changesSection = (
  visit: SignedInVisit,
  { changes: allChanges, looked_at, furthest, accounts }: AuditLogPage
): Html => {
  const rows = allChanges.slice(0, ACTIVITY_LOG_SHOWN)
  const accountsById = new Map(accounts.map((account) => [account.id, account]))
  const list = table(
    { empty: readRecord(visit) === undefined ? "No changes in this period." : "No changes of this record." },
    [
      { label: "Time", cell: ([{ at }]) => timeHtml(at, visit), onPhone: "detail" },
      { label: "Who", cell: ([first]) => actorCell(first, accountsById), onPhone: "detail" },
      { label: "Action", cell: ([first]) => actionLabel(first), onPhone: "title" },
      { label: "Record", cell: changedRecords, onPhone: "detail" }
    ],
    groupByRequest(rows)
  )
  return section("Changes", html`${list}${pagination(visit, allChanges, looked_at, furthest)}`)
}

/** If a filter by account found too few changes, the next page starts after the last change scanned. */
const pagination = (
  visit: SignedInVisit,
  allChanges: ReadonlyArray<AuditLogChange>,
  scannedCount: number,
  lastScanned: AuditPosition | null
): Html => {
  const latestLink = visit.query.has("before") ? link(currentUrlWith(visit, { before: undefined }), "Latest") : nothing
  const isTruncated = allChanges.length > ACTIVITY_LOG_SHOWN
  const last = isTruncated ? allChanges[ACTIVITY_LOG_SHOWN - 1] : lastScanned
  const hasMore = isTruncated || (readAccountFilter(visit) !== undefined && scannedCount === ACTIVITY_LOG_SCANNED)
  const earlierLink =
    hasMore && last !== undefined && last !== null
      ? link(currentUrlWith(visit, { before: formatAuditCursor(last) }), "Older")
      : nothing
  const scanLimitNote =
    hasMore && !isTruncated
      ? html`<p>Searched ${ACTIVITY_LOG_SCANNED.toLocaleString("en")} changes${lastScanned === null ? nothing : html`, back to ${timeHtml(lastScanned.at, visit)}`}. Older ones may exist.</p>
`
      : nothing
  return latestLink === nothing && earlierLink === nothing
    ? nothing
    : html`${scanLimitNote}<nav class="pages" aria-label="Pages">${latestLink} ${earlierLink}</nav>
`
}

const actorCell = (
  { account_id, application }: AuditLogChange,
  accountsById: ReadonlyMap<number, AuditLogAccount>
): Html => {
  if (account_id === null) return html`${systemActorLabel(application)}`
  const account = accountsById.get(account_id)
  const name = account?.name ?? "Deleted account"
  return html`${name} <span class="soft">${applicationLabel(application)}</span>`
}

/** A request that changed many records shows the first ones. */
const RECORDS_SHOWN_FIRST = 3

const changedRecords = (entries: ReadonlyArray<AuditLogChange>): Html => {
  const [first, others] = [entries.slice(0, RECORDS_SHOWN_FIRST), entries.slice(RECORDS_SHOWN_FIRST)]
  return html`${first.map(changedRecord)}${others.length === 0 ? nothing : disclosure(`${others.length} more`, html`${others.map(changedRecord)}`)}`
}

const changedRecord = (entry: AuditLogChange): Html => {
  const { label: recordLabel, url } = toRecordLabel(entry)
  const fields = entry.fields.map(fieldLabel).join(", ")
  const logLink = html` <a class="soft" href="${activityLogUrl(entry.record)}" aria-label="Activity of ${recordLabel}">Activity</a>`
  return html`<div>${url === undefined ? recordLabel : link(url, recordLabel)}${fields === "" ? nothing : html`: ${fields}`}${logLink}</div>
`
}

const fieldLabel = (field: string): string => FIELD_WORDS[field]?.label ?? toWords(field.replace(/_id(s?)$/, "$1"))
