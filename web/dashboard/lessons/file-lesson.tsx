import { Anchor, Group, Stack, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { Card } from '../../parts/card.tsx'
import { Download, ExternalLink } from '../../parts/icons.tsx'
import type { PageFile } from '../content/rich-page.tsx'
import { keepPlayed, mergeRanges, type Ranges, readPlayed, shareOf } from '../content/watched.ts'
import { contentWords as say } from '../content/words.ts'
import { CompletionBar } from './completion-bar.tsx'
import classes from './file-lesson.module.css'
import type { LessonProps } from './lesson-props.ts'
import { type Completion, useCompletion } from './use-completion.ts'

/** The share of a video that must have been played. Few people watch the credits. */
const ENOUGH = 0.95

/** Shows a PDF, a video or a sound. */
export function FileLesson(props: LessonProps) {
  const { file: fileId, captions, files = [] } = props.lesson
  const completion = useCompletion(props)
  const file = files.find((one) => one.fileId === fileId)
  if (!file) return <Text>{say.missing}</Text>
  return (
    <Card>
      <Stack>
        {file.mediaType === 'application/pdf' ? (
          <>
            <iframe className={classes.document} src={file.url} title={file.name} />
            <Links file={file} />
            <CompletionBar completion={completion} text={say.fileText} done={say.isDone} go={say.fileRead} />
          </>
        ) : (
          <Player file={file} captions={files.find((one) => one.fileId === captions)} completion={completion} />
        )}
      </Stack>
    </Card>
  )
}

const Links = ({ file: { url } }: { readonly file: PageFile }) => (
  <Group>
    <Anchor href={url} target="_blank" rel="noopener noreferrer" size="sm">
      <ExternalLink size={14} /> {say.open}
    </Anchor>
    <Anchor href={`${url}?download`} size="sm">
      <Download size={14} /> {say.download}
    </Anchor>
  </Group>
)

interface PlayerProps {
  readonly file: PageFile
  readonly captions: PageFile | undefined
  readonly completion: Completion
}

/** Plays a video or a sound, and completes the lesson when almost all of it was played. */
function Player({ file, captions, completion }: PlayerProps) {
  const media = useRef<HTMLVideoElement>(null)
  const before = useRef(readPlayed(file.fileId))
  const [share, setShare] = useState(0)
  const isDone = share >= ENOUGH
  const { complete, state, isPending, error } = completion
  const note = () => {
    if (!media.current) return
    const ranges = mergeRanges(before.current, rangesOf(media.current.played))
    keepPlayed(file.fileId, ranges)
    setShare(shareOf(ranges, media.current.duration))
  }
  useEffect(() => {
    if (isDone && state === 'open' && !isPending && error === null) complete()
  }, [isDone, state, isPending, error, complete])
  return (
    <>
      <video
        ref={media}
        className={classes.video}
        src={file.url}
        controls
        preload="metadata"
        aria-label={file.name}
        // The browser reads captions of another origin only with CORS.
        {...(captions && { crossOrigin: 'anonymous' as const })}
        onLoadedMetadata={note}
        onTimeUpdate={note}
        onEnded={note}
      >
        {captions && <track kind="captions" src={captions.url} label={say.captions} default />}
      </video>
      <Links file={file} />
      <CompletionBar
        completion={completion}
        text={`${say.watchText} ${say.watched(Math.floor(share * 100))}`}
        done={say.isDone}
        {...(isDone && { go: say.markRead })}
      />
    </>
  )
}

const rangesOf = (played: TimeRanges): Ranges =>
  Array.from({ length: played.length }, (_, i) => [played.start(i), played.end(i)] as const)
