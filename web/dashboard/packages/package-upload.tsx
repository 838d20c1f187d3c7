import { Alert, Button, FileButton, Group, List, Progress, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useRef } from 'react'
import { ApiProblem } from '../../api/call.ts'
import type { PackageDetails } from '../../api/operations.ts'
import { DropZone } from '../../parts/drop-zone.tsx'
import { CircleAlert, PackagePlus } from '../../parts/icons.tsx'
import { Problem, Quote } from '../../parts/states.tsx'
import { sayBytes } from '../../parts/time.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import classes from './package-upload.module.css'
import { type CurrentUpload, usePackageUpload } from './use-package-upload.ts'
import { packageWords } from './words.ts'

const { upload: say } = packageWords

interface PackageUploadProps {
  readonly organisation: string
  readonly onUploaded: (found: PackageDetails) => void
}

/** A place for a dropped package, with a button for people who do not drag. Tells what is wrong with the package. */
export function PackageUpload({ organisation, onUploaded }: PackageUploadProps) {
  const { upload, cancel, current, usage } = usePackageUpload(organisation, onUploaded)
  const reset = useRef<() => void>(null)
  const isBusy = current !== undefined && current.error === undefined
  useUnsaved(() => isBusy)
  return (
    <Stack gap="sm">
      <DropZone onFiles={(files) => !isBusy && void upload(files)}>
        <Text size="sm">{say.drop}</Text>
        <FileButton
          accept=".zip,.xml"
          resetRef={reset}
          onChange={(file) => {
            // Without this, browsers do not notice that the same file is chosen again.
            reset.current?.()
            void upload(file ? [file] : [])
          }}
        >
          {(props) => (
            <Button {...props} disabled={isBusy} leftSection={<PackagePlus size={16} aria-hidden />}>
              {say.choose}
            </Button>
          )}
        </FileButton>
        <Text size="xs" c="dimmed">
          {say.accepted}
          {usage && ` · ${packageWords.used(sayBytes(usage.usedBytes), sayBytes(usage.limitBytes))}`}
        </Text>
      </DropZone>
      {current && isBusy && <Sending {...current} onCancel={() => void cancel(current)} />}
      {current?.error && current.canContinue && (
        <Stopped
          name={current.file.name}
          error={current.error}
          onContinue={() => void upload([current.file])}
          onCancel={() => void cancel(current)}
        />
      )}
      {current?.error && !current.canContinue && <Refused name={current.file.name} error={current.error} />}
    </Stack>
  )
}

function Sending({ file, sent, isInterrupted, onCancel }: CurrentUpload & { readonly onCancel: () => void }) {
  const isChecking = sent >= 1
  const label = isChecking ? say.checking(file.name) : say.sending(file.name)
  const text = isInterrupted
    ? say.interrupted
    : isChecking
      ? say.checkingText
      : say.ofAll(sayBytes(sent * file.size), sayBytes(file.size))
  return (
    <div>
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm" truncate>
          {label}
        </Text>
        {!isChecking && <Text size="sm">{say.percent(Math.floor(sent * 100))}</Text>}
      </Group>
      <Progress
        value={sent * 100}
        animated={isChecking}
        aria-label={label}
        {...(isInterrupted && { color: 'yellow' })}
      />
      <Group justify="space-between" mt={6}>
        <Text size="xs" c="dimmed">
          {text}
        </Text>
        {!isChecking && (
          <Button size="compact-xs" variant="default" onClick={onCancel}>
            {say.cancel}
          </Button>
        )}
      </Group>
      {/* Announces the stages, and not each percent. */}
      <VisuallyHidden role="status">{isInterrupted ? say.interrupted : label}</VisuallyHidden>
    </div>
  )
}

interface StoppedProps {
  readonly name: string
  readonly error: Error
  readonly onContinue: () => void
  readonly onCancel: () => void
}

/** Says why an upload has stopped, and lets it go on. */
const Stopped = ({ name, error, onContinue, onCancel }: StoppedProps) => (
  <Alert color="yellow" icon={<CircleAlert size={18} aria-hidden />} title={say.stopped(name)} role="alert">
    <Stack gap="xs">
      <Text size="sm">{error.message}</Text>
      <Text size="sm">{say.stoppedText}</Text>
      <Group gap="xs">
        <Button size="xs" onClick={onContinue}>
          {say.goOn}
        </Button>
        <Button size="xs" variant="default" onClick={onCancel}>
          {say.cancel}
        </Button>
        <Quote error={error} />
      </Group>
    </Stack>
  </Alert>
)

/** Lists everything that is wrong with a package, each with the requirement that it violates. */
function Refused({ name, error }: { readonly name: string; readonly error: Error }) {
  const faults = error instanceof ApiProblem ? error.faults.filter(({ message }) => message !== undefined) : []
  if (faults.length === 0) return <Problem title={say.failed(name)} error={error} />
  return (
    <Alert color="red" icon={<CircleAlert size={18} aria-hidden />} title={say.faulty(name)} role="alert">
      <Stack gap="xs">
        <Text size="sm">{say.faultyText(faults.length)}</Text>
        <List size="sm" spacing={6}>
          {faults.map(({ pointer, rule, message }) => (
            <List.Item key={`${pointer} ${rule} ${message}`} className={classes.fault!}>
              {message}
              <Text size="xs" c="dimmed">
                {[rule && say.rule(rule), pointer].filter(Boolean).join(' · ')}
              </Text>
            </List.Item>
          ))}
        </List>
        <Group>
          <Quote error={error} />
        </Group>
      </Stack>
    </Alert>
  )
}
