import { Alert, Progress, Stack, Text } from '@mantine/core'
import type { Upload } from './use-uploads.ts'
import { contentWords as say } from './words.ts'

interface UploadsShownProps {
  readonly uploads: readonly Upload[]
  readonly onDismiss: (id: number) => void
}

/** Shows how far uploads are, and why some failed. */
export const UploadsShown = ({ uploads, onDismiss }: UploadsShownProps) => (
  <Stack gap="xs" aria-live="polite">
    {uploads.map(({ id, name, sent, error }) =>
      error ? (
        <Alert
          key={id}
          color="red"
          title={say.notUploaded(name)}
          withCloseButton
          closeButtonLabel={say.dismiss}
          onClose={() => onDismiss(id)}
        >
          {error.message}
        </Alert>
      ) : (
        <div key={id}>
          <Text size="sm" truncate>
            {say.uploading(name)}
          </Text>
          <Progress value={sent * 100} aria-label={say.uploading(name)} />
        </div>
      ),
    )}
  </Stack>
)
