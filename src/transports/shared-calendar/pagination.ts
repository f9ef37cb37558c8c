import {
  SHARED_PAGE_PROPERTIES_MAX,
  SHARED_PART_PROPERTIES_MAX,
  SUBSCRIPTION_ROOMS_MAX
} from "../../platform/limits.ts"
import { type Html, html, nothing } from "../docs/html.ts"

/** Numbers of pages, and of parts of the feed, for the largest possible link. */
export const PAGES_MAX = SUBSCRIPTION_ROOMS_MAX / SHARED_PAGE_PROPERTIES_MAX
export const PARTS_MAX = SUBSCRIPTION_ROOMS_MAX / SHARED_PART_PROPERTIES_MAX

/** The default is 1. Returns undefined if no link can have that page or part. */
export const readNumberParam = (query: string, name: "page" | "part", maximum: number): number | undefined => {
  const text = new URLSearchParams(query).get(name) ?? "1"
  const number = /^[1-9]\d{0,5}$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY
  return number > maximum ? undefined : number
}

export interface PagePosition {
  readonly number: number
  readonly count: number
}

const toPosition = (number: number, total: number, size: number): PagePosition => ({
  number,
  count: Math.max(1, Math.ceil(total / size))
})

export const pagePosition = (number: number, total: number): PagePosition =>
  toPosition(number, total, SHARED_PAGE_PROPERTIES_MAX)
export const partPosition = (number: number, total: number): PagePosition =>
  toPosition(number, total, SHARED_PART_PROPERTIES_MAX)

export const formatCount = (number: number): string => number.toLocaleString("en")

const NEIGHBOUR_PAGES = 2

export const offeredPageNumbers = ({ number, count }: PagePosition): ReadonlyArray<number> => {
  const around = Array.from({ length: 2 * NEIGHBOUR_PAGES + 1 }, (_, index) => number - NEIGHBOUR_PAGES + index)
  return Array.from(new Set([1, ...around.filter((each) => each > 1 && each < count), count]))
}

const pageLink = (number: number, words: string, relation: "next" | "prev"): Html =>
  html`<li><a href="?page=${number}" rel="${relation}">${words}</a></li>
`

export const pageNavigation = (position: PagePosition, label: string): Html => {
  const { number, count } = position
  if (count === 1) return nothing
  const numbers = offeredPageNumbers(position).map((each, index, all) => {
    const gap =
      each - (all[index - 1] ?? 0) > 1
        ? html`<li aria-hidden="true">…</li>
`
        : nothing
    const current = each === number ? html` aria-current="page"` : nothing
    return html`${gap}<li><a href="?page=${each}"${current}><i>Page </i>${formatCount(each)}</a></li>
`
  })
  return html`<nav aria-label="${label}">
<ul class="list">
${number > 1 ? pageLink(number - 1, "Previous", "prev") : nothing}${numbers}${number < count ? pageLink(number + 1, "Next", "next") : nothing}</ul>
</nav>
`
}
