import { SHARED_PAGE_PROPERTIES, SHARED_PART_PROPERTIES, SUBSCRIPTION_ROOMS_MAX } from "../../platform/limits.ts"
import { type Html, html, nothing } from "../docs/html.ts"

/** Pages, and parts of a feed, that the largest link has. */
export const PAGES_MAX = SUBSCRIPTION_ROOMS_MAX / SHARED_PAGE_PROPERTIES
export const PARTS_MAX = SUBSCRIPTION_ROOMS_MAX / SHARED_PART_PROPERTIES

/** The number a query asks for by that name: 1 when it asks for none, undefined when there can be no such one. */
export const askedNumber = (query: string, name: "page" | "part", most: number): number | undefined => {
  const text = new URLSearchParams(query).get(name) ?? "1"
  const number = /^[1-9]\d{0,5}$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY
  return number > most ? undefined : number
}

/** Which of how many. */
export interface Place {
  readonly number: number
  /** At least 1. */
  readonly of: number
}

const placed = (number: number, total: number, size: number): Place => ({
  number,
  of: Math.max(1, Math.ceil(total / size))
})

/** A page, and a part of a feed, of so many properties. */
export const pagePlace = (number: number, total: number): Place => placed(number, total, SHARED_PAGE_PROPERTIES)
export const partPlace = (number: number, total: number): Place => placed(number, total, SHARED_PART_PROPERTIES)

/** `1,000`. */
export const counted = (number: number): string => number.toLocaleString("en")

/** Numbers that are offered beside the next and the previous one: the first, the last, and those around. */
const AROUND = 2

/** The numbers offered at a place, ascending. */
export const offeredNumbers = ({ number, of }: Place): ReadonlyArray<number> => {
  const around = Array.from({ length: 2 * AROUND + 1 }, (_, index) => number - AROUND + index)
  return Array.from(new Set([1, ...around.filter((each) => each > 1 && each < of), of]))
}

const linkTo = (number: number, words: string, relation: "next" | "prev"): Html =>
  html`<li><a href="?page=${number}" rel="${relation}">${words}</a></li>
`

/** Ways to the other pages; nothing when there are none. */
export const pagesNav = (place: Place, label: string): Html => {
  const { number, of } = place
  if (of === 1) return nothing
  const numbers = offeredNumbers(place).map((each, index, all) => {
    const gap =
      each - (all[index - 1] ?? 0) > 1
        ? html`<li aria-hidden="true">…</li>
`
        : nothing
    const current = each === number ? html` aria-current="page"` : nothing
    return html`${gap}<li><a href="?page=${each}"${current}><i>Page </i>${counted(each)}</a></li>
`
  })
  return html`<nav aria-label="${label}">
<ul class="list">
${number > 1 ? linkTo(number - 1, "Previous", "prev") : nothing}${numbers}${number < of ? linkTo(number + 1, "Next", "next") : nothing}</ul>
</nav>
`
}
