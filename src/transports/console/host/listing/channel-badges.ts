import { type Html, html, nothing } from "../../../docs/html.ts"
import { badge, formatDay } from "../page-parts.ts"

interface StatusLabel {
  readonly label: string
  readonly kind?: "good" | "bad" | "wait"
}

const statusBadge = (labels: Readonly<Record<string, StatusLabel>>, state: string): Html => {
  const { label, kind } = labels[state] ?? { label: state }
  return badge(label, kind)
}

const ACCOUNT_LABELS: Readonly<Record<string, StatusLabel>> = {
  active: { label: "connected", kind: "good" },
  connecting: { label: "being connected", kind: "wait" },
  disconnected: { label: "disconnected", kind: "bad" },
  exception: { label: "does not work as it should", kind: "bad" }
}

export const accountBadge = (authStatus: string): Html => statusBadge(ACCOUNT_LABELS, authStatus)

const SHELF_LABELS: Readonly<Record<string, StatusLabel>> = {
  on: { label: "on sale", kind: "good" },
  off: { label: "not on sale", kind: "wait" },
  deleted: { label: "deleted there" },
  unknown: { label: "not known" }
}

export const shelfBadge = (shelfStatus: string): Html => statusBadge(SHELF_LABELS, shelfStatus)

const PUSH_LABELS: Readonly<Record<string, StatusLabel>> = {
  waiting: { label: "waiting", kind: "wait" },
  pushed: { label: "told", kind: "good" },
  refused: { label: "refused", kind: "bad" },
  dead: { label: "given up", kind: "bad" }
}

export const pushBadge = (state: string): Html => statusBadge(PUSH_LABELS, state)

const PUSH_KIND_LABELS: Readonly<Record<string, string>> = {
  prices: "prices",
  inventories: "how many there are",
  restrictions: "rules of stay",
  availability: "free and taken days"
}

export const pushKindLabel = (kind: string): string => PUSH_KIND_LABELS[kind] ?? kind

export const dateRangeText = ({
  first,
  last
}: {
  readonly first: string | null
  readonly last: string | null
}): string => {
  if (first === null || last === null) return ""
  return first === last ? formatDay(first) : `${formatDay(first)} to ${formatDay(last)}`
}

export const failureReason = ({
  reason,
  attempts
}: {
  readonly reason: string | null
  readonly attempts: number
}): Html =>
  html`<span class="name">${reason ?? ""}</span>${attempts > 1 ? html` <span class="soft">tried ${attempts} times</span>` : nothing}`

const PERCENT = 100

/** Formats 115 percent of the base price as `+15 %`. */
export const formatMarkup = (ratio: number): string => {
  const difference = ratio - PERCENT
  if (difference === 0) return "0 %"
  return difference > 0 ? `+${difference} %` : `−${-difference} %`
}

export const markupText = ({ ratio, readonly }: { readonly ratio: number; readonly readonly: boolean }): string =>
  readonly ? "Set on the channel" : formatMarkup(ratio)

export const mappingText = ({
  link_type,
  link_title
}: {
  readonly link_type: string | null
  readonly link_title: string | null
}): string | undefined => {
  if (link_type === null) return undefined
  return link_type === "room_type" ? `rooms of ${link_title ?? ""}` : (link_title ?? "")
}
