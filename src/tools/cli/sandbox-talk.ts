import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { readInquire, readOffer, readReview, readWrite, USUAL_ADULTS } from "../../connectors/sandbox/asked.ts"
import { instantText } from "../../contract/time.ts"
import { answer } from "./answer.ts"
import { inWords } from "./sandbox-guests.ts"
import { asked, ofOperator, part } from "./sandbox-lists.ts"
import { givenOf, SANDBOX_GUEST, text, whole, whose, withSandbox } from "./sandbox-with.ts"

// What guests of the sandbox say, as commands.

const written = ({
  thread_id,
  channel_type,
  heard
}: {
  readonly thread_id: string
  readonly channel_type: string
  readonly heard: string | null
}): string => `Sent a message in thread ${thread_id} on ${channel_type}; ingest result: ${heard ?? "pending"}.`

export const inquire = Command.make(
  "inquire",
  {
    listing_id: Flag.String("listing").pipe(Flag.withDescription("listing_id of the channel")),
    check_in_date: Flag.String("check-in").pipe(Flag.withDescription("Check-in date, YYYY-MM-DD")),
    check_out_date: Flag.String("check-out").pipe(Flag.withDescription("Check-out date, YYYY-MM-DD")),
    guest_name: Flag.String("guest").pipe(
      Flag.withDescription(`Name of the guest (default: ${SANDBOX_GUEST})`),
      Flag.withDefault(SANDBOX_GUEST)
    ),
    text: Flag.String("text").pipe(Flag.withDescription("What the guest writes")),
    optional: {
      guest_phone: text("phone", "Phone number of the guest (default: none)"),
      guest_email: text("email", "E-mail address that identifies a returning guest (default: identified by name)"),
      adults: whole("adults", `Adults (default: ${USUAL_ADULTS})`),
      children: whole("children", "Children (default: 0)"),
      ...whose
    }
  },
  ({ optional, ...given }) =>
    answer(
      "sandbox inquire",
      withSandbox((market) => Effect.flatMap(readInquire({ ...given, ...givenOf(optional) }), market.inquire)),
      written
    )
).pipe(
  Command.withDescription("Send an inquiry as a guest, in the thread of the guest or in a new one"),
  Command.withExamples([
    {
      command:
        "latchkey sandbox inquire --listing 300-77 --check-in 2027-06-07 --check-out 2027-06-09 --text 'Is there a lift?'",
      description: "Ask about two nights"
    }
  ])
)

export const write = Command.make(
  "write",
  {
    text: Flag.String("text").pipe(Flag.withDescription("What the guest writes")),
    optional: {
      thread_id: text("thread", "thread_id to write in (default: the thread of --order)"),
      order_id: text("order", "order_id in whose thread to write (default: --thread)"),
      attachment_url: text("attachment", "Address of an attachment (default: none)"),
      ...whose
    }
  },
  ({ optional, ...given }) =>
    answer(
      "sandbox write",
      withSandbox((market) => Effect.flatMap(readWrite({ ...given, ...givenOf(optional) }), market.write)),
      written
    )
).pipe(Command.withDescription("Send a message to the host as a guest"))

const offer = {
  offer_id: Argument.String("offer").pipe(Argument.withDescription("offer_id of the channel")),
  optional: whose
}

export const acceptOffer = Command.make("accept-offer", offer, ({ offer_id, optional }) =>
  answer(
    "sandbox accept-offer",
    withSandbox((market) => Effect.flatMap(readOffer({ offer_id, ...givenOf(optional) }), market.acceptOffer)),
    inWords("is booked")
  )
).pipe(Command.withDescription("Accept an offer or a pre-approval as its guest, which books it"))

export const declineOffer = Command.make("decline-offer", offer, ({ offer_id, optional }) =>
  answer(
    "sandbox decline-offer",
    withSandbox((market) => Effect.flatMap(readOffer({ offer_id, ...givenOf(optional) }), market.declineOffer)),
    ({ offer_id, status, heard }) => `Offer ${offer_id}: ${status}; ingest result: ${heard ?? "pending"}.`
  )
).pipe(Command.withDescription("Decline an offer or a pre-approval as its guest"))

export const review = Command.make(
  "review",
  {
    order_id: Argument.String("order").pipe(Argument.withDescription("order_id of the channel")),
    score: Flag.Finite("score").pipe(Flag.withDescription("Score from 0 to 5")),
    text: Flag.String("text").pipe(Flag.withDescription("What the guest writes")),
    optional: {
      sub_scores: text("sub-scores", "Scores by category, such as cleanliness=5,location=4 (default: none)"),
      ...whose
    }
  },
  ({ optional, ...given }) =>
    answer(
      "sandbox review",
      withSandbox((market) => Effect.flatMap(readReview({ ...given, ...givenOf(optional) }), market.review)),
      ({ order_id, score, heard }) =>
        `The guest of order ${order_id} gave ${score} of 5; ingest result: ${heard ?? "pending"}.`
    )
).pipe(Command.withDescription("Review a stay as its guest, from the check-out date on"))

export const threads = Command.make("threads", part, ({ operator, ...given }) =>
  answer(
    "sandbox threads",
    withSandbox((_market, seeing) =>
      Effect.map(seeing.threads(asked(given), ofOperator(operator)), ({ rows, total }) => ({
        threads: rows.map(
          ({ said, time_zone: _zone, operator: _name, account_id, last_message_at, written, ...thread }) => ({
            ...thread,
            channel_account_id: account_id,
            guest: said.guest,
            inquiry: said.inquiry ?? null,
            last_message_at: instantText(last_message_at),
            written: written.map((each) => ({ ...each.said, heard: each.heard }))
          })
        ),
        total
      }))
    ),
    ({ threads }) =>
      threads.length === 0
        ? "No threads."
        : threads
            .map(({ thread_id, channel_type, guest, written, offers }) =>
              [
                `${thread_id} on ${channel_type}: ${guest.name}`,
                ...written.map(({ sender, text, sent_at }) => `  ${sent_at}  ${sender}: ${text}`),
                ...offers.map(
                  ({ offer_id, offer_type, status, price, currency, check_in_date, check_out_date }) =>
                    `  ${offer_type} ${offer_id}: ${status}, ${price} ${currency}, ${check_in_date} to ${check_out_date}`
                )
              ].join("\n")
            )
            .join("\n")
  )
).pipe(Command.withDescription("List the threads of the sandbox with their messages and offers, newest first"))
