import { assert, it } from "@effect/vitest"
import { COPY_RESERVE_BYTES, hasRoomForCopy } from "../../../src/platform/database/folder-copy.ts"

it(`a copy leaves ${COPY_RESERVE_BYTES} bytes of the disk to the service, or is not begun`, () => {
  assert.isTrue(hasRoomForCopy(1_000, 1_000 + COPY_RESERVE_BYTES))
  assert.isFalse(hasRoomForCopy(1_000, 999 + COPY_RESERVE_BYTES))
  assert.isFalse(hasRoomForCopy(0, 0))
})
