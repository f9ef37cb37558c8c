import { DateTime, Effect } from "effect"
import { addDays, dateInZone } from "../../../contract/time.ts"
import { type Review, type ReviewStatus, search_reviews } from "../../../domain/guests/reviews/contract.ts"
import { PAGE_DEFAULT, REVIEW_SEARCH_DAYS } from "../../../platform/limits.ts"
import { Service } from "../../../service/service.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { type ReviewedStay, ReviewedStays } from "../queries/ReviewedStays.ts"
import type { SignedInVisit } from "../visit.ts"
import { makeQuery, makeVoidMutation } from "./api-operations.ts"
import { channelName } from "./channel-names.ts"
import { type FailedSubmission, type HostAction, makeActionError, makeHostPage } from "./host-page.ts"
import {
  activityLogLink,
  badge,
  formatDayRange,
  link,
  pagination,
  pluralize,
  readDateParam,
  readOffsetParam,
  section,
  timeZoneNote
} from "./page-parts.ts"
import { currentUrlWith } from "./page-url.ts"
import { publishedReply, publishedReview } from "./reviews/published-reviews.ts"
import { readReply, readReview, reviewForms } from "./reviews/review-forms.ts"
import { messagesUrl, REVIEWS_PATH, stayUrl } from "./urls.ts"

interface ReviewFilter {
  readonly show: string
  readonly status: ReviewStatus
  readonly label: string
  readonly empty: string
}
const WRITTEN_FILTER: ReviewFilter = {
  show: "",
  status: "reviewed",
  label: "Received",
  empty: "No reviews in this period."
}
const REVIEW_FILTERS: ReadonlyArray<ReviewFilter> = [
  WRITTEN_FILTER,
  {
    show: "waiting",
    status: "pending_host_review",
    label: "To write",
    empty: "All done: you have no reviews to write."
  },
  {
    show: "guest",
    status: "pending_guest_review",
    label: "Awaiting guest",
    empty: "No guest still has to write a review."
  }
]

export const makeReviewsPage = Effect.gen(function* () {
  const [service, reviewedStays] = [yield* Service, yield* ReviewedStays]
  const search = makeQuery(service, search_reviews)
  return makeHostPage({
    path: REVIEWS_PATH,
    show: Effect.fnUntraced(function* (visit, failedSubmission) {
      const today = dateInZone(yield* DateTime.nowAsDate, visit.session.person.caller.timeZone)
      const [until, offset] = [readDateParam(visit, "until") ?? today, readOffsetParam(visit)]
      const [checkOutRange, selectedFilter] = [toCheckOutRange(until), readReviewFilter(visit)]
      const page = { offset, limit: PAGE_DEFAULT }
      const { reviews, total } = yield* search(visit, {
        ...checkOutRange,
        ...page,
        review_status: selectedFilter.status
      })
      const stays = yield* reviewedStays.of(reviews.map(({ reservation_code }) => reservation_code))
      const renderReview = (review: Review) =>
        reviewSection(visit, review, stays.get(review.reservation_code), today, failedSubmission)
      return {
        title: "Reviews",
        body: html`<nav class="pages" aria-label="Which reviews">${REVIEW_FILTERS.map((filter) => filterTab(visit, filter.show, filter.label, filter === selectedFilter))}</nav>
<p class="soft">${pluralize(total, "stay")} with check-out ${formatDayRange(checkOutRange.start_check_out_date, until)}, newest first</p>
${reviews.length === 0 ? html`<p class="empty">${selectedFilter.empty}</p>` : reviews.map(renderReview)}${pagination(visit, { ...page, total })}
<p>${link(currentUrlWith(visit, { until: addDays(checkOutRange.start_check_out_date, -1), offset: undefined }), "Older")}</p>
${timeZoneNote(visit)}`
      }
    }),
    actions: makeActions(service)
  })
})

const readReviewFilter = ({ query }: SignedInVisit) =>
  REVIEW_FILTERS.find(({ show }) => show === query.get("show")) ?? WRITTEN_FILTER

const toCheckOutRange = (until: string) => ({
  start_check_out_date: addDays(until, 1 - REVIEW_SEARCH_DAYS),
  end_check_out_date: until
})

const CURRENT_ATTRIBUTE: Html = { html: ' aria-current="page"' }

const filterTab = (visit: SignedInVisit, show: string, label: string, isCurrent: boolean): Html => {
  const address = currentUrlWith(visit, { show: show === "" ? undefined : show, offset: undefined })
  return html`<a href="${address}"${isCurrent ? CURRENT_ATTRIBUTE : nothing}>${label}</a> `
}

const reviewSection = (
  visit: SignedInVisit,
  review: Review,
  stay: ReviewedStay | undefined,
  today: string,
  failedSubmission: FailedSubmission | undefined
): Html => {
  const guest = stay?.guest_name ?? review.reservation_code
  const { guest_review, host_review, host_reply, channel_type } = review
  return section(
    `${guest}, ${stay?.property_title ?? "Unassigned"}`,
    html`<p class="soft">${formatDayRange(review.check_in_date, review.check_out_date)} ${badge(channelName(channel_type))} ${link(stayUrl(stay?.stay_code ?? review.reservation_code), "Reservation")}${stay?.conversation_id == null ? nothing : html` · ${link(messagesUrl({ id: stay.conversation_id }), "Messages")}`}</p>
${publishedReview(visit, "Guest review", guest_review, "None yet.")}${publishedReply(visit, host_reply)}${host_review === null ? nothing : publishedReview(visit, "Your review of the guest", host_review, "")}${reviewForms(visit, review, { today, guestName: guest, failedSubmission })}${activityLogLink(`review:${review.reservation_code}`)}`
  )
}

const makeActions = (service: Service["Service"]): Readonly<Record<string, HostAction>> => {
  const mutate = makeVoidMutation(service)
  return {
    review: {
      doneMessage: "Review published.",
      run: (visit, form) => {
        const reviewFields = readReview(form)
        return reviewFields === undefined
          ? Effect.fail(makeActionError(422, "Give a score or write a review."))
          : mutate(visit, form, "create_review", reviewFields)
      }
    },
    reply: {
      doneMessage: "Reply published.",
      run: (visit, form) => {
        const replyFields = readReply(form)
        return replyFields === undefined
          ? Effect.fail(makeActionError(422, "Write a reply."))
          : mutate(visit, form, "create_review", replyFields)
      }
    }
  }
}
