import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import {
  DEFAULT_ADULTS,
  decodeInquiryRequest,
  decodeMessageRequest,
  decodeOfferRequest,
  decodeReviewRequest
} from "../../connectors/sandbox/marketplace-requests.ts"
import { formatUtcInstant } from "../../contract/time.ts"
import { runCommand } from "./command-runner.ts"
import {
  channelOperatorFlags,
  integerFlag,
  SANDBOX_GUEST,
  textFlag,
  toProvidedFields,
  withSandbox
} from "./sandbox-context.ts"
import { listFlags, toOperatorFilter, toPageRequest } from "./sandbox-list-flags.ts"
import { formatOrder } from "./sandbox-order-commands.ts"

const formatMessageSent = ({
  thread_id,
  channel_type,
  heard
}: {
  readonly thread_id: string
  readonly channel_type: string
  readonly heard: string | null
}): string => `Sent a message in thread ${thread_id} on ${channel_type}; ingest result: ${heard ?? "pending"}.`

export const inquireCommand = Command.make(
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
      guest_phone: textFlag("phone", "Phone number of the guest (default: none)"),
      guest_email: textFlag("email", "E-mail address that identifies a returning guest (default: identified by name)"),
      adults: integerFlag("adults", `Adults (default: ${DEFAULT_ADULTS})`),
      children: integerFlag("children", "Children (default: 0)"),
      ...channelOperatorFlags
    }
  },
  ({ optional, ...fields }) =>
    runCommand(
      "sandbox inquire",
      withSandbox((market) =>
        Effect.flatMap(decodeInquiryRequest({ ...fields, ...toProvidedFields(optional) }), market.sendInquiry)
      ),
      formatMessageSent
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

export const writeCommand = Command.make(
  "write",
  {
    text: Flag.String("text").pipe(Flag.withDescription("What the guest writes")),
    optional: {
      thread_id: textFlag("thread", "thread_id to write in (default: the thread of --order)"),
      order_id: textFlag("order", "order_id in whose thread to write (default: --thread)"),
      attachment_url: textFlag("attachment", "Address of an attachment (default: none)"),
      ...channelOperatorFlags
    }
  },
  ({ optional, ...fields }) =>
    runCommand(
      "sandbox write",
      withSandbox((market) =>
        Effect.flatMap(decodeMessageRequest({ ...fields, ...toProvidedFields(optional) }), market.writeMessage)
      ),
      formatMessageSent
    )
).pipe(Command.withDescription("Send a message to the host as a guest"))

const offerArguments = {
  offer_id: Argument.String("offer").pipe(Argument.withDescription("offer_id of the channel")),
  optional: channelOperatorFlags
}

export const acceptOfferCommand = Command.make("accept-offer", offerArguments, ({ offer_id, optional }) =>
  runCommand(
    "sandbox accept-offer",
    withSandbox((market) =>
      Effect.flatMap(decodeOfferRequest({ offer_id, ...toProvidedFields(optional) }), market.acceptOffer)
    ),
    formatOrder("is booked")
  )
).pipe(Command.withDescription("Accept an offer or a pre-approval as its guest, which books it"))

export const declineOfferCommand = Command.make("decline-offer", offerArguments, ({ offer_id, optional }) =>
  runCommand(
    "sandbox decline-offer",
    withSandbox((market) =>
      Effect.flatMap(decodeOfferRequest({ offer_id, ...toProvidedFields(optional) }), market.declineOffer)
    ),
    ({ offer_id, status, heard }) => `Offer ${offer_id}: ${status}; ingest result: ${heard ?? "pending"}.`
  )
).pipe(Command.withDescription("Decline an offer or a pre-approval as its guest"))

export const reviewCommand = Command.make(
  "review",
  {
    order_id: Argument.String("order").pipe(Argument.withDescription("order_id of the channel")),
    score: Flag.Finite("score").pipe(Flag.withDescription("Score from 0 to 5")),
    text: Flag.String("text").pipe(Flag.withDescription("What the guest writes")),
    optional: {
      sub_scores: textFlag("sub-scores", "Scores by category, such as cleanliness=5,location=4 (default: none)"),
      ...channelOperatorFlags
    }
  },
  ({ optional, ...fields }) =>
    runCommand(
      "sandbox review",
      withSandbox((market) =>
        Effect.flatMap(decodeReviewRequest({ ...fields, ...toProvidedFields(optional) }), market.writeReview)
      ),
      ({ order_id, score, heard }) =>
        `The guest of order ${order_id} gave ${score} of 5; ingest result: ${heard ?? "pending"}.`
    )
).pipe(Command.withDescription("Review a stay as its guest, from the check-out date on"))

export const threadsCommand = Command.make("threads", listFlags, ({ operator, ...fields }) =>
  runCommand(
    "sandbox threads",
    withSandbox((_market, queries) =>
      Effect.map(queries.listThreads(toPageRequest(fields), toOperatorFilter(operator)), ({ rows, total }) => ({
        threads: rows.map(
          ({ said, time_zone: _zone, operator: _name, account_id, last_message_at, written, ...thread }) => ({
            ...thread,
            channel_account_id: account_id,
            guest: said.guest,
            inquiry: said.inquiry ?? null,
            last_message_at: formatUtcInstant(last_message_at),
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
