import { OVERVIEW_DAYS_FAILED } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import { UNASSIGNED_PROPERTY } from "../../queries/FoundStays.ts"
import type { OverviewData } from "../../queries/Overview.ts"
import { pluralize, section } from "../page-parts.ts"
import { ACCESS_PATH, CHANNELS_PATH, ICAL_SYNC_PATH, messagesUrl, reservationsUrl, reviewsUrl } from "../urls.ts"

interface CountedItem {
  readonly key: "requests" | "messages" | "reviews" | "check_ins" | "boxed" | "unpaid"
  readonly nouns: readonly [one: string, several: string]
  readonly url: string
}

const PENDING_ITEMS: ReadonlyArray<CountedItem> = [
  {
    key: "requests",
    nouns: ["booking request", "booking requests"],
    url: reservationsUrl({ status: "wait_accept" })
  },
  {
    key: "messages",
    nouns: ["message to answer", "messages to answer"],
    url: messagesUrl({ show: "waiting" })
  },
  { key: "reviews", nouns: ["review to write", "reviews to write"], url: reviewsUrl("waiting") },
  {
    key: "check_ins",
    nouns: ["ID check pending", "ID checks pending"],
    url: reservationsUrl({ status: "check_in" })
  },
  {
    key: "boxed",
    nouns: ["unassigned reservation", "unassigned reservations"],
    url: reservationsUrl({ property: UNASSIGNED_PROPERTY, status: "accepted" })
  },
  {
    key: "unpaid",
    nouns: ["unpaid reservation (±6 months)", "unpaid reservations (±6 months)"],
    url: reservationsUrl({ payment: "unpaid" })
  }
]

export const toDoSection = (counts: OverviewData): Html => {
  const items = PENDING_ITEMS.filter(({ key }) => counts[key] > 0)
  return section(
    "To do",
    items.length === 0
      ? html`<p>All good.</p>
`
      : html`<ul class="counts">
${items.map(
  ({
    key,
    nouns: [singular, plural],
    url
  }) => html`<li><a href="${url}"><strong>${counts[key]}</strong> ${counts[key] === 1 ? singular : plural}</a></li>
`
)}</ul>
`
  )
}

interface Failure {
  readonly text: string
  readonly url: string
}

/** Names at most as many as the query returned. `and others` stands for the rest. */
const describeFailures = (
  count: number,
  names: ReadonlyArray<string>,
  [singular, plural]: readonly [string, string]
): string => {
  const others = count > names.length ? [...names, "and others"] : names
  return `${count.toLocaleString("en")} ${count === 1 ? singular : plural}: ${others.join(", ")}`
}

const toFailures = (counts: OverviewData): ReadonlyArray<Failure> => {
  const { webhooks, calendars, accounts, pushes } = counts
  return [
    ...(webhooks === 0
      ? []
      : [
          {
            text: describeFailures(webhooks, counts.webhook_names, ["webhook is failing", "webhooks are failing"]),
            url: `${ACCESS_PATH}#webhooks`
          }
        ]),
    ...(calendars === 0
      ? []
      : [
          {
            text: describeFailures(calendars, counts.calendar_names, [
              "imported calendar is failing",
              "imported calendars are failing"
            ]),
            url: ICAL_SYNC_PATH
          }
        ]),
    ...(accounts === 0
      ? []
      : [
          {
            text: describeFailures(accounts, counts.account_names, [
              "channel account is disconnected",
              "channel accounts are disconnected"
            ]),
            url: CHANNELS_PATH
          }
        ]),
    ...(pushes === 0
      ? []
      : [
          {
            text: `${pluralize(pushes, "channel update")} failed in the last ${OVERVIEW_DAYS_FAILED} days`,
            url: `${CHANNELS_PATH}#pushes`
          }
        ])
  ]
}

export const attentionSection = (counts: OverviewData): Html => {
  const failures = toFailures(counts)
  return failures.length === 0
    ? nothing
    : section(
        "Needs attention",
        html`<ul>
${failures.map(
  ({ text, url }) => html`<li><a href="${url}">${text}</a></li>
`
)}</ul>
`
      )
}
