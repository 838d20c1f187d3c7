import { ActionIcon, Button, FileButton, Group, Stack, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { deleteFile, listFiles, readFileUsage, type StoredFile } from '../../api/operations.ts'
import { query, useWrite } from '../../api/query.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { DropZone } from '../../parts/drop-zone.tsx'
import { FileUp, Trash2 } from '../../parts/icons.tsx'
import { Item, Items } from '../../parts/items.tsx'
import { Pager } from '../../parts/pager.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { sayBytes } from '../../parts/time.tsx'
import classes from './file-library.module.css'
import { UploadsShown } from './uploads-shown.tsx'
import { useUploads } from './use-uploads.ts'
import { contentWords as say } from './words.ts'

/** The types that a dialog offers, and the endings that the browser's own dialog shows. */
const ACCEPT = {
  all: '.png,.jpg,.jpeg,.gif,.webp,.avif,.pdf,.mp4,.m4v,.webm,.ogv,.mp3,.m4a,.ogg,.oga,.opus,.vtt,.txt,.md,.csv,.docx,.xlsx,.pptx,.odt,.ods,.odp',
  captions: '.vtt',
} as const

interface FileLibraryProps {
  readonly organisation: string
  readonly isOpen: boolean
  /** If set, only captions are offered. */
  readonly isForCaptions?: boolean
  /** Tells which files can be used where the dialog was opened. */
  readonly isUsable?: (file: StoredFile) => boolean
  readonly onUse: (file: StoredFile) => void
  readonly onClose: () => void
}

/** A dialog with the files of an organisation: upload, search, delete, and choose one. */
export function FileLibrary({ organisation, isOpen, onClose, ...rest }: FileLibraryProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={say.library} isWide>
      <Library organisation={organisation} {...rest} />
    </Dialog>
  )
}

const PER_PAGE = 10

function Library({
  organisation,
  isForCaptions = false,
  isUsable = () => true,
  onUse,
}: Omit<FileLibraryProps, 'isOpen' | 'onClose'>) {
  const [search, setSearch] = useState<string>()
  const [page, setPage] = useState(1)
  const [removed, setRemoved] = useState<StoredFile>()
  const reset = useRef<() => void>(null)
  const { upload, uploads, dismiss, usage } = useUploads(organisation)
  const list = useQuery({
    ...query(listFiles, {
      organisation,
      page,
      limit: PER_PAGE,
      ...(search !== undefined && { query: search }),
      ...(isForCaptions && { type: 'captions' as const }),
    }),
    placeholderData: keepPreviousData,
  })
  const remove = useWrite(deleteFile, { changes: [listFiles, readFileUsage], onDone: () => setRemoved(undefined) })
  const add = async (files: readonly File[]) => {
    setPage(1)
    const stored = await upload(files)
    const [only] = stored
    if (stored.length === 1 && files.length === 1 && only && isUsable(only)) onUse(only)
  }
  return (
    <Stack>
      <DropZone onFiles={add}>
        <Text size="sm">{say.drop}</Text>
        <FileButton
          multiple
          accept={isForCaptions ? ACCEPT.captions : ACCEPT.all}
          resetRef={reset}
          onChange={(files) => {
            // Otherwise the browser reports no change when the same file is chosen again.
            reset.current?.()
            void add(files)
          }}
        >
          {(props) => (
            <Button {...props} leftSection={<FileUp size={16} aria-hidden />}>
              {say.upload}
            </Button>
          )}
        </FileButton>
        <Text size="xs" c="dimmed">
          {say.allowed(sayBytes(usage?.largestFileBytes ?? 0))}
        </Text>
      </DropZone>
      <UploadsShown uploads={uploads} onDismiss={dismiss} />
      <Group justify="space-between">
        <SearchField
          label={say.search}
          value={search}
          onChange={(value) => {
            setPage(1)
            setSearch(value)
          }}
        />
        {usage && (
          <Text size="sm" c="dimmed">
            {say.used(sayBytes(usage.usedBytes), sayBytes(usage.limitBytes))}
          </Text>
        )}
      </Group>
      <Loaded query={list}>
        {({ docs, pages, total }) =>
          docs.length === 0 ? (
            <Empty icon={FileUp} title={say.none}>
              {say.noneText}
            </Empty>
          ) : (
            <>
              <Items label={say.library}>
                {docs.map((file) => (
                  <Item
                    key={file.fileId}
                    lead={
                      file.mediaType.startsWith('image/') && <img className={classes.thumb} src={file.url} alt="" />
                    }
                    title={file.name}
                    sub={sayBytes(file.bytes)}
                    action={
                      <Group gap="xs" wrap="nowrap">
                        {isUsable(file) && (
                          <Button
                            size="xs"
                            variant="default"
                            aria-label={say.chooseNamed(file.name)}
                            onClick={() => onUse(file)}
                          >
                            {say.use}
                          </Button>
                        )}
                        {file.may.delete && (
                          <ActionIcon
                            variant="subtle"
                            color="red"
                            aria-label={say.remove(file.name)}
                            onClick={() => setRemoved(file)}
                          >
                            <Trash2 size={16} aria-hidden />
                          </ActionIcon>
                        )}
                      </Group>
                    }
                  />
                ))}
              </Items>
              <Pager page={page} pages={pages} total={total} onChange={setPage} />
            </>
          )
        }
      </Loaded>
      <Confirm
        isOpen={removed !== undefined}
        title={say.removeTitle}
        go={say.removeGo}
        isPending={remove.isPending}
        error={remove.error}
        onGo={() => removed && remove.mutate({ fileId: removed.fileId })}
        onClose={() => setRemoved(undefined)}
      >
        {say.removeText(removed?.name ?? '')}
      </Confirm>
    </Stack>
  )
}
