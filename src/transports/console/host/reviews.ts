import { DateTime, Effect } from "effect"
import { addDays, dateInZone } from "../../../contract/time.ts"
import { type Review, type ReviewStatus, search_reviews } from "../../../domain/guests/reviews/contract.ts"
import { PAGE_DEFAULT, REVIEW_SEARCH_DAYS } from "../../../platform/limits.ts"
import { Service } from "../../../service/service.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { type ReviewedStay, ReviewedStays } from "../queries/ReviewedStays.ts"
import type { SignedInVisit } from "../visit.ts"
import { messagesAddress, REVIEWS_PATH, stayAddress } from "./addresses.ts"
import { doing, reading } from "./asking.ts"
import { channelWords } from "./channel-words.ts"
import { type HostAct, hereWith, hostPage, type NotTaken, refusal } from "./page.ts"
import { badge, dayIn, dayOf, historyLink, link, offsetIn, pages, section, zoneOf } from "./parts.ts"
import { replyIn, reviewIn, writingOf } from "./reviews/writing.ts"
import { replyOf, reviewOf } from "./reviews/written.ts"

/** What is shown by the `show` of the address. */
interface Which {
  readonly show: string
  readonly status: ReviewStatus
  readonly words: string
}
const WRITTEN: Which = { show: "", status: "reviewed", words: "Written" }
const SHOWN: ReadonlyArray<Which> = [
  WRITTEN,
  { show: "waiting", status: "pending_host_review", words: "Yours to write" },
  { show: "guest", status: "pending_guest_review", words: "The guest's to write" }
]

/** What guests and the host say of each other: read, written, and replied to. */
export const makeReviewsPage = Effect.gen(function* () {
  const [service, reviewedStays] = [yield* Service, yield* ReviewedStays]
  const search = reading(service, search_reviews)
  return hostPage({
    path: REVIEWS_PATH,
    show: Effect.fnUntraced(function* (visit, notTaken) {
      const { operatorId, timeZone } = visit.session.person.caller
      const today = dateInZone(yield* DateTime.nowAsDate, timeZone)
      const [until, offset] = [dayIn(visit, "until") ?? today, offsetIn(visit)]
      const [found, which] = [daysUntil(until), shownIn(visit)]
      const page = { offset, limit: PAGE_DEFAULT }
      const { reviews, total } = yield* search(visit, { ...found, ...page, review_status: which.status })
      const stays = yield* reviewedStays.of(
        operatorId,
        reviews.map(({ reservation_code }) => reservation_code)
      )
      const each = (review: Review) => reviewed(visit, review, stays.get(review.reservation_code), today, notTaken)
      return {
        title: "Reviews",
        body: html`<nav class="pages" aria-label="Which reviews">${SHOWN.map((one) => tab(visit, one.show, one.words, one === which))}</nav>
<p>${total} ${total === 1 ? "stay" : "stays"} that ended from ${dayOf(found.start_check_out_date)} to ${dayOf(until)}, the latest first.</p>
${reviews.map(each)}${pages(visit, { ...page, total })}
<p>${link(hereWith(visit, { until: addDays(found.start_check_out_date, -1), offset: undefined }), "Stays that ended before that")}</p>
${zoneOf(visit)}`
      }
    }),
    acts: actsOf(service)
  })
})

const shownIn = ({ query }: SignedInVisit) => SHOWN.find(({ show }) => show === query.get("show")) ?? WRITTEN

/** As many days as are searched at once. */
const daysUntil = (until: string) => ({
  start_check_out_date: addDays(until, 1 - REVIEW_SEARCH_DAYS),
  end_check_out_date: until
})

const CURRENT: Html = { html: ' aria-current="page"' }

const tab = (visit: SignedInVisit, show: string, words: string, isIt: boolean): Html => {
  const address = hereWith(visit, { show: show === "" ? undefined : show, offset: undefined })
  return html`<a href="${address}"${isIt ? CURRENT : nothing}>${words}</a> `
}

/** One stay, and what is written of it. */
const reviewed = (
  visit: SignedInVisit,
  review: Review,
  stay: ReviewedStay | undefined,
  today: string,
  notTaken: NotTaken | undefined
): Html => {
  const guest = stay?.guest_name ?? review.reservation_code
  const { guest_review, host_review, host_reply, channel_type } = review
  return section(
    `${guest}, ${stay?.property_title ?? "in no property"}`,
    html`<p>${dayOf(review.check_in_date)} to ${dayOf(review.check_out_date)} ${badge(channelWords(channel_type))}</p>
<p>${link(stayAddress(stay?.stay_code ?? review.reservation_code), "The stay")}${stay?.conversation_id == null ? nothing : html` · ${link(messagesAddress({ id: stay.conversation_id }), "The conversation")}`}</p>
${reviewOf(visit, "The guest's review", guest_review, "The guest has written none yet.")}${replyOf(visit, host_reply)}${host_review === null ? nothing : reviewOf(visit, "Your review of the guest", host_review, "")}${writingOf(visit, review, { today, of: guest, notTaken })}${historyLink(`review:${review.reservation_code}`)}`
  )
}

const actsOf = (service: Service["Service"]): Readonly<Record<string, HostAct>> => {
  const act = doing(service)
  return {
    review: {
      done: "The review is published.",
      run: (visit, form) => {
        const written = reviewIn(form)
        return written === undefined
          ? Effect.fail(refusal(422, "Give a score, or write something."))
          : act(visit, form, "create_review", written)
      }
    },
    reply: {
      done: "The reply is published.",
      run: (visit, form) => {
        const written = replyIn(form)
        return written === undefined
          ? Effect.fail(refusal(422, "Write something first."))
          : act(visit, form, "create_review", written)
      }
    }
  }
}
