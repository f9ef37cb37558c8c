import type { PGlite } from "@electric-sql/pglite"
import { NodeFS } from "@electric-sql/pglite/nodefs"

type FileSystemOptions = Parameters<NodeFS["init"]>[1]

const OTHERS_MASK = 0o077

/** Removes the permissions of other users, because the library sets modes of files itself, past the umask. */
export class PrivateFileSystem extends NodeFS {
  override async init(pg: PGlite, options: FileSystemOptions): Promise<{ emscriptenOpts: FileSystemOptions }> {
    const { emscriptenOpts } = await super.init(pg, options)
    const keepPrivate: NonNullable<FileSystemOptions["preRun"]>[number] = ({ FS }) => {
      const chmod = FS.chmod.bind(FS)
      FS.chmod = (path: unknown, mode: number, ...rest: ReadonlyArray<unknown>) =>
        chmod(path, mode & ~OTHERS_MASK, ...rest)
    }
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), keepPrivate] } }
  }
}
