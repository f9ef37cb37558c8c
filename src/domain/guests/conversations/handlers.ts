import { Clock, DateTime, Effect } from "effect"
import { CurrentCaller } from "../../../contract/caller.ts"
import { toPage } from "../../../contract/page.ts"
import { currentSecond, dateInZone, formatInstantWithOffset, truncateToSecond } from "../../../contract/time.ts"
import { PublicUrl } from "../../../platform/installation.ts"
import { QUEUED_MESSAGES_MAX } from "../../../platform/limits.ts"
import { changeHandler, handleOperations, layerOperations, voidChangeHandler } from "../../operation-handlers.ts"
import { decodeJpegField } from "../images/base64.ts"
import { Images } from "../images/Images.ts"
import { toImageUrl } from "../images/image-url.ts"
import {
  ConversationOperations,
  type get_conversation,
  type Message,
  type query_conversations,
  type send_message,
  type update_conversation_note
} from "./contract.ts"
import { newPublicCode, requireOwnConversation } from "./conversation-lookup.ts"
import {
  buildActivities,
  checkMessageLength,
  messageNotFoundError,
  messageQueueFullError,
  parseMessageContent,
  toMessagePage
} from "./rules.ts"
import { ConversationStore, type MessageRow, NoteTimestamp } from "./store.ts"

type Store = ConversationStore["Service"]

const queryConversations = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof query_conversations.payloadSchema.Type) {
    const { operatorId, timeZone } = yield* CurrentCaller
    const today = dateInZone(yield* Clock.currentTimeMillis, timeZone)
    const page = yield* store.search(operatorId, today, toPage(payload))
    return { conversations: page.rows, total: page.total }
  })

const getConversation = (store: Store) =>
  Effect.fnUntraced(function* ({ id, before }: typeof get_conversation.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const row = yield* store.findConversation(operatorId, id, before)
    const conversation = yield* requireOwnConversation(row, store.conversationExists(id), "id")
    if (!conversation.before_known) return yield* messageNotFoundError
    const { messages, has_more } = toMessagePage(conversation.messages)
    return {
      id,
      channel_type: conversation.channel_type,
      guest: conversation.guest,
      activities: buildActivities(conversation.inquiry, conversation.stays),
      note: conversation.note,
      messages: messages.map(toMessage),
      has_more
    }
  })

const toMessage = (row: MessageRow): Message => ({
  ...row,
  created_at: formatInstantWithOffset(truncateToSecond(Date.parse(row.created_at)))
})

interface ImageContext {
  readonly images: Images["Service"]
  readonly publicUrl: string
}

const sendMessage = (store: Store, { images, publicUrl }: ImageContext) => {
  const storeImage = Effect.fnUntraced(function* (operatorId: number, base64: string) {
    const jpeg = yield* decodeJpegField(base64, IMAGE_FIELD)
    const { id, token } = yield* images.put({ operatorId, kind: "message", jpeg, field: IMAGE_FIELD })
    return { id, url: toImageUrl(publicUrl, token) }
  })
  return Effect.fnUntraced(function* (payload: typeof send_message.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const { text, jpegBase64 } = yield* Effect.fromResult(parseMessageContent(payload))
    const row = yield* store.findRecipient(operatorId, payload.id)
    const { id, channel_type, waiting } = yield* requireOwnConversation(row, store.conversationExists(payload.id), "id")
    const content = yield* Effect.fromResult(checkMessageLength(channel_type, text))
    // This check avoids storing an image in vain. The row in `message_lanes` enforces the limit.
    if (waiting >= QUEUED_MESSAGES_MAX) return yield* messageQueueFullError
    const image = jpegBase64 === undefined ? undefined : yield* storeImage(operatorId, jpegBase64)
    const display_type = image === undefined ? "Text" : "FileAttachment"
    const message = { code: newPublicCode(), display_type, content, image } as const
    return yield* store.sendMessage(operatorId, id, message, yield* DateTime.nowAsDate)
  })
}

const IMAGE_FIELD = "jpeg_base64"

const writeNote = (store: Store) =>
  Effect.fnUntraced(function* ({ conversation_id, note }: typeof update_conversation_note.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const row = yield* store.findNote(operatorId, conversation_id)
    const currentNote = yield* requireOwnConversation(row, store.conversationExists(conversation_id), "conversation_id")
    const text = note ?? ""
    return text === currentNote.note
      ? currentNote
      : yield* store.writeNote(operatorId, currentNote.id, text, yield* currentSecond)
  })

export const layerConversations = layerOperations(
  Effect.gen(function* () {
    const store = yield* ConversationStore
    const imageContext = { images: yield* Images, publicUrl: yield* PublicUrl }
    return handleOperations(ConversationOperations, {
      query_conversations: queryConversations(store),
      get_conversation: getConversation(store),
      send_message: voidChangeHandler(sendMessage(store, imageContext)),
      update_conversation_note: changeHandler(
        writeNote(store),
        NoteTimestamp,
        ({ updated_at }, { conversation_id, note }) => ({
          id: conversation_id,
          note: note === null || note === "" ? null : note,
          updated_at
        })
      )
    })
  })
)
