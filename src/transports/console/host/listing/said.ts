import { type Html, html, nothing } from "../../../docs/html.ts"
import { badge, dayText } from "../parts.ts"

// How things at channels stand, in a host's words: on the page of all channels and on that of one listing.

interface Standing {
  readonly words: string
  readonly kind?: "good" | "bad" | "wait"
}

const badgeOf = (all: Readonly<Record<string, Standing>>, state: string): Html => {
  const { words, kind } = all[state] ?? { words: state }
  return badge(words, kind)
}

const ACCOUNTS: Readonly<Record<string, Standing>> = {
  active: { words: "connected", kind: "good" },
  connecting: { words: "being connected", kind: "wait" },
  disconnected: { words: "disconnected", kind: "bad" },
  exception: { words: "does not work as it should", kind: "bad" }
}

export const accountBadge = (authStatus: string): Html => badgeOf(ACCOUNTS, authStatus)

const SHELF: Readonly<Record<string, Standing>> = {
  on: { words: "on sale", kind: "good" },
  off: { words: "not on sale", kind: "wait" },
  deleted: { words: "deleted there" },
  unknown: { words: "not known" }
}

export const shelfBadge = (shelfStatus: string): Html => badgeOf(SHELF, shelfStatus)

const PUSHES: Readonly<Record<string, Standing>> = {
  waiting: { words: "waiting", kind: "wait" },
  pushed: { words: "told", kind: "good" },
  refused: { words: "refused", kind: "bad" },
  dead: { words: "given up", kind: "bad" }
}

export const pushBadge = (state: string): Html => badgeOf(PUSHES, state)

const KINDS: Readonly<Record<string, string>> = {
  prices: "prices",
  inventories: "how many there are",
  restrictions: "rules of stay",
  availability: "free and taken days"
}

/** What a channel was told of. */
export const kindText = (kind: string): string => KINDS[kind] ?? kind

/** Of which days it was told. */
export const spanText = ({ first, last }: { readonly first: string | null; readonly last: string | null }): string => {
  if (first === null || last === null) return ""
  return first === last ? dayText(first) : `${dayText(first)} to ${dayText(last)}`
}

/** Why, and how often it was tried. */
export const whyOf = ({ reason, attempts }: { readonly reason: string | null; readonly attempts: number }): Html =>
  html`<span class="name">${reason ?? ""}</span>${attempts > 1 ? html` <span class="soft">tried ${attempts} times</span>` : nothing}`

export const ratioText = ({ ratio, readonly }: { readonly ratio: number; readonly readonly: boolean }): string =>
  readonly ? "not set from here" : `${ratio} %`

/** What it sells here. */
export const sellsText = ({
  link_type,
  link_title
}: {
  readonly link_type: string | null
  readonly link_title: string | null
}): string | undefined => {
  if (link_type === null) return undefined
  return link_type === "room_type" ? `rooms of ${link_title ?? ""}` : (link_title ?? "")
}
