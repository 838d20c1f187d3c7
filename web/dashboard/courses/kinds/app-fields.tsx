import { TextInput } from '@mantine/core'
import { dashboardWords } from '../../words.ts'
import type { KindFieldsProps } from './fields-props.ts'

const { course: say } = dashboardWords

/** Chooses the app that delivers a lesson, and the URL at which the app opens it. */
export const AppFields = ({ lesson, onChange, errors }: KindFieldsProps) => (
  <>
    <TextInput
      label={say.app}
      description={say.appHelp}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      value={lesson.app ?? ''}
      error={errors.app}
      onChange={(event) => onChange({ app: event.currentTarget.value })}
    />
    <TextInput
      label={say.launchUri}
      value={lesson.launchUri ?? ''}
      error={errors.launchUri}
      onChange={(event) => onChange({ launchUri: event.currentTarget.value })}
    />
  </>
)
