import { assert, it } from "@effect/vitest"
import { COPY_ROOM_BYTES, hasRoom } from "../../../src/platform/database/folder-copy.ts"

it(`a copy leaves ${COPY_ROOM_BYTES} bytes of the disk to the service, or is not begun`, () => {
  assert.isTrue(hasRoom(1_000, 1_000 + COPY_ROOM_BYTES))
  assert.isFalse(hasRoom(1_000, 999 + COPY_ROOM_BYTES))
  assert.isFalse(hasRoom(0, 0))
})
