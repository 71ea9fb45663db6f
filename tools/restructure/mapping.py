"""What goes where. Paths are those of the tree before the program runs; what is missing is skipped with a note."""
import fnmatch, re
from pathlib import Path

# Folders of projnce/ (and of tests/) that get another name; None: several.
RENAMED = {'pipeline': None, 'export': 'onnx'}
# Tests whose name is no unit's, or that belong elsewhere: stem of NAME_test.cpp -> folder.
TEST_FOLDERS = {
    'loss_cases': 'golden',
    'bad_files': 'io', 'file_range': 'io/filesystem', 'hostile_pictures': 'io/image', 'picture_formats': 'io/image',
    'jpeg': 'io/image', 'picture_part': None,
}
TEST_FOLDERS = {k: v for k, v in TEST_FOLDERS.items() if v}

# (unit that results, units that it is made of), in today's paths.
MERGES = [
    # io
    ('io/archive_scan', ['io/archive_contents', 'io/archive_scan']),
    ('io/image_writer', ['io/jpeg_writer', 'io/png_writer']),
    ('io/orientation', ['io/exif', 'io/orientation']),
    ('io/image_decoders', ['io/image_decoders', 'io/rgba_image']),
    ('io/file_magic', ['io/file_magic', 'io/foreign_formats']),
    ('io/safetensors', ['io/safetensors', 'io/safetensors_header']),
    ('io/safetensors_file', ['io/safetensors_reader', 'io/safetensors_writer']),
    ('io/sound_file', ['io/sound_file', 'io/wav_writer']),
    ('io/file_descriptor', ['io/system_error', 'io/file_descriptor']),
    ('io/file_tree', ['io/tree_names', 'io/file_tree', 'io/folder_tree']),
    ('io/digest', ['io/base64', 'io/crc32c', 'io/digest']),
    ('pipeline/run_directory', ['report/run_paths', 'pipeline/run_directory']),
    # dataset
    ('dataset/cifar', ['dataset/cifar', 'dataset/cifar10', 'dataset/cifar100']),
    ('dataset/imagenet', ['dataset/wordnet_names', 'dataset/imagenet', 'dataset/tiny_imagenet']),
    ('dataset/wrappers', ['dataset/subset', 'dataset/relabelled', 'dataset/concat', 'dataset/identified_dataset',
                          'dataset/channels']),
    ('dataset/noise', ['dataset/feature_noise', 'dataset/label_noise']),
    ('dataset/labels', ['dataset/labels', 'dataset/stratify']),
    ('dataset/file_dataset', ['dataset/file_dataset', 'dataset/file_list']),
    ('dataset/class_folders', ['dataset/unread_files', 'dataset/class_folders']),
    ('dataset/checksums', ['dataset/checksums', 'dataset/official_files']),
    ('dataset/checked_dataset', ['dataset/corrupt_limit', 'dataset/checked_dataset']),
    ('dataset/sample_tile', ['dataset/sample_tile', 'dataset/draw_samples']),
    # augment
    ('augment/crop', ['augment/crop', 'augment/picture_part']),
    ('augment/transform', ['augment/eval_transform', 'augment/train_transform']),
    ('augment/input_format', ['augment/view_format', 'augment/input_format']),
    ('augment/sound/log_mel', ['augment/sound/mel_filters', 'augment/sound/power_spectrum', 'augment/sound/log_mel']),
    ('augment/sound/sound_augmenter', ['augment/sound/sound_ops', 'augment/sound/sound_augmenter']),
    ('augment/augment_options', ['augment/sound/sound_augment_options', 'augment/augment_options']),
    # encoder
    ('encoder/layers', ['encoder/conv', 'encoder/batch_norm', 'encoder/shared_statistics']),
    ('encoder/resnet', ['encoder/residual_block', 'encoder/resnet']),
    ('encoder/encoder', ['encoder/engine', 'encoder/encoder']),
    ('encoder/embedding_model', ['encoder/projection_head', 'encoder/embedding_model']),
    ('encoder/native/native_layer', ['encoder/native/normalizer', 'encoder/native/native_layer']),
    ('encoder/native/native_part', ['encoder/native/map_buffers', 'encoder/native/native_part',
                                    'encoder/native/plain_part', 'encoder/native/residual_part']),
    # eval
    ('eval/accuracy', ['eval/accuracy', 'eval/interval']),
    ('eval/calibration', ['eval/calibration', 'eval/temperature_scaling']),
    ('eval/nearest_neighbors', ['eval/nearest_neighbors', 'eval/knn']),
    ('eval/retrieval', ['eval/retrieval', 'eval/clusters']),
    ('eval/audit/fold_data', ['eval/audit/folds', 'eval/audit/fold_data']),
    ('eval/audit/noise_model', ['eval/audit/noise_model', 'eval/audit/noise_fit']),
    ('eval/audit/audit', ['eval/audit/audit', 'eval/audit/audit_score']),
    ('eval/tsne/affinities', ['eval/tsne/perplexity', 'eval/tsne/equal_rows', 'eval/tsne/affinities']),
    ('eval/tsne/map_descent', ['eval/tsne/map_spread', 'eval/tsne/team_choice', 'eval/tsne/map_descent']),
    ('eval/tsne/tsne', ['eval/tsne/tsne_options', 'eval/tsne/tsne']),
    # onnx
    ('export/onnx_graph', ['export/onnx_graph', 'export/graph_value']),
    # kernel
    ('kernel/smoothing_sums', ['kernel/smoothing_profile', 'kernel/smoothing_sums']),
    ('kernel/repulsion', ['kernel/point_tree', 'kernel/repulsion']),
    ('kernel/blocks', ['kernel/blocks', 'kernel/rounds']),
    ('kernel/panels', ['kernel/aligned_buffer', 'kernel/panels']),
    # projection
    ('projection/class_groups', ['projection/class_groups', 'projection/class_matrix']),
    ('projection/median', ['projection/median', 'projection/geometric_median', 'projection/sorted_median']),
    ('projection/nadaraya_watson', ['projection/neighbor_sums', 'projection/nadaraya_watson']),
    # others
    ('checkpoint/module_state', ['checkpoint/mismatches', 'checkpoint/module_state']),
    ('distributed/meeting', ['distributed/meeting_place', 'distributed/meeting']),
    ('loader/batch', ['loader/damage_watch', 'loader/loader_checks', 'loader/batch']),
    ('loader/train_loader', ['loader/sampler', 'loader/train_loader']),
    ('core/image', ['core/picture_need', 'core/image']),
    ('core/names', ['core/names', 'core/range_text']),
    ('train/train_options', ['train/schedule', 'train/train_options']),
    ('train/trainer', ['train/spike_watch', 'train/trainer']),
    # reproduce
    ('reproduce/result_formats', ['reproduce/result_csv', 'reproduce/result_json', 'reproduce/result_markdown',
                                  'reproduce/result_terminal']),
    ('reproduce/experiment', ['reproduce/scale', 'reproduce/experiment']),
    ('reproduce/cells', ['reproduce/cells', 'reproduce/check_cells', 'reproduce/train_cells']),
    # report
    ('report/lettering', ['report/cairo_font', 'report/lettering']),
    ('report/canvas', ['report/geometry', 'report/canvas']),
    ('report/event_file', ['report/event_file', 'report/event_metrics']),
    ('report/suspect_sheet', ['report/suspect_tiles', 'report/suspect_page', 'report/suspect_picture', 'report/suspect_sheet']),
    ('report/terminal_summary', ['report/terminal_style', 'report/sparkline', 'report/terminal_summary']),
    ('report/map_labels', ['report/cluster_labels', 'report/legend']),
    ('core/table', ['core/table', 'report/config_text']),
    # pipeline
    ('pipeline/embedding_map', ['pipeline/plane_map', 'pipeline/embedding_map']),
    ('pipeline/run_journal', ['pipeline/metrics_log', 'pipeline/run_journal']),
    ('pipeline/run_pages', ['pipeline/run_pages', 'pipeline/live_page', 'pipeline/page_source']),
    ('pipeline/delivery', ['pipeline/delivery', 'pipeline/run_results']),
    ('pipeline/start_weights', ['pipeline/initial_samples', 'pipeline/start_weights']),
    ('pipeline/training_data', ['pipeline/validation_part', 'pipeline/training_data']),
    ('pipeline/loss_cases', ['pipeline/loss_cases', 'pipeline/loss_case_kinds', 'pipeline/loss_case_data']),
    ('pipeline/trained_model', ['pipeline/trained_model', 'pipeline/embed_part']),
    # -- second round: small neighbours of one subject
    ('dataset/registry', ['dataset/catalogue', 'dataset/registry']),
    ('dataset/tree_files', ['dataset/layout', 'dataset/text_list']),
    ('io/regular_file', ['io/byte_view', 'io/regular_file']),
    ('io/printable', ['io/printable', 'io/html']),
    ('io/image_file', ['io/image_decoders', 'io/image_file', 'io/png']),
    ('io/archive_reader', ['io/byte_source', 'io/gzip_source', 'io/archive_reader']),
    ('io/atomic_file', ['io/atomic_file', 'io/append_file']),
    ('augment/pixel_ops', ['augment/float_image', 'augment/pixel_ops']),
    ('augment/sample_views', ['augment/transform', 'augment/sample_views']),
    ('core/sample', ['core/image', 'core/sample']),
    ('encoder/native/native_engine', ['encoder/native/trunk_plan', 'encoder/native/native_engine']),
    ('eval/tsne/map_descent', ['eval/tsne/map_descent', 'eval/tsne/fit_map']),
    ('kernel/conv/map_source', ['kernel/conv/map_shape', 'kernel/conv/map_source']),
    ('kernel/conv/loop_args', ['kernel/conv/block_args', 'kernel/conv/pool_args', 'kernel/conv/winograd_args']),
    ('kernel/conv/packed_weights', ['kernel/conv/direct_weights', 'kernel/conv/winograd_weights']),
    ('kernel/map_forces', ['kernel/attraction_rows', 'kernel/repulsion_tile']),
    ('kernel/select_above', ['kernel/candidates', 'kernel/select_above']),
    ('kernel/pair_tiles', ['kernel/pair_tiles', 'kernel/pair_gradient']),
    ('loss/registry', ['loss/option_readers', 'loss/registry']),
    ('projection/perp', ['projection/nadaraya_watson', 'projection/perp']),
    ('checkpoint/checkpoints', ['checkpoint/checkpoint_dir', 'checkpoint/checkpoint_writer']),
    ('distributed/join_ranks', ['distributed/rank_environment', 'distributed/join_ranks']),
    ('train/gradient_cache', ['train/gradient_cache', 'train/global_loss']),
    ('pipeline/evaluate', ['pipeline/retrieval_report', 'pipeline/evaluate']),
    ('pipeline/judge', ['pipeline/judge', 'pipeline/readout']),
    ('pipeline/audit', ['pipeline/audited_samples', 'pipeline/audit']),
    ('pipeline/embed', ['pipeline/embed_dataset', 'pipeline/embed']),
    ('pipeline/run_journal', ['pipeline/run_journal', 'pipeline/closing_page', 'pipeline/final_report']),
    ('pipeline/delivery', ['pipeline/run_progress', 'pipeline/delivery']),
    ('pipeline/loss_case_kinds', ['pipeline/loss_case_pairs', 'pipeline/loss_case_projections']),
    ('report/map_labels', ['report/map_classes', 'report/map_labels']),
    ('report/canvas', ['report/palette', 'report/canvas']),
    ('report/run_data', ['report/metric_curves', 'report/run_data']),
    ('report/run_index', ['report/run_list', 'report/run_index', 'report/run_index_page']),
    ('reproduce/collect', ['reproduce/ranking', 'reproduce/collect']),
    ('reproduce/result_text', ['reproduce/result_runs', 'reproduce/result_text']),
    ('reproduce/experiment', ['reproduce/paper_files', 'reproduce/experiment', 'reproduce/paper_datasets']),
    # -- third round
    ('pipeline/standard_settings', ['pipeline/setting_keys', 'pipeline/standard_settings']),
    ('pipeline/run_request', ['pipeline/named_data', 'pipeline/run_request']),
    ('dataset/sample_previews', ['dataset/sample_tile', 'dataset/sound_clips']),
    ('dataset/embeddings', ['dataset/number_array', 'dataset/embeddings']),
    ('dataset/clips', ['dataset/prepared_clips', 'dataset/spectrograms']),
    ('report/tensorboard', ['report/event_file', 'report/projector']),
    ('report/report_samples', ['report/report_samples', 'report/packed_samples']),
    ('report/scatter_map', ['report/scatter_map', 'report/map_layout']),
    ('reproduce/result_charts', ['reproduce/condition_axis', 'reproduce/result_charts']),
    ('reproduce/result', ['reproduce/result', 'reproduce/result_text']),
    ('train/gradient_cache', ['train/passing_state', 'train/gradient_cache']),
    ('pipeline/trained_model', ['pipeline/trained_model', 'pipeline/trained_run']),
    ('loader/loaders', ['loader/eval_loader', 'loader/train_loader']),
    ('information/bound_terms', ['information/log_mean_exp', 'information/class_priors', 'information/bound_terms']),
    ('information/entropy', ['information/entropy', 'information/information_interval']),
]

# Headers alone that become one: (header's unit, units); their sources stay.
HEADERS = [
    ('dataset/image_readers', ['dataset/caltech256', 'dataset/cifar', 'dataset/food101', 'dataset/imagenet', 'dataset/mnist', 'dataset/stl10']),
    ('dataset/sound_readers', ['dataset/crema_d', 'dataset/esc50', 'dataset/speech_commands']),
    ('kernel/conv/workspace', ['kernel/conv/page_buffer', 'kernel/conv/workspace']),
    ('kernel/conv/algorithms', ['kernel/conv/direct', 'kernel/conv/winograd']),
]

# Sources that get the name of the header that declares what they define.
RENAMES = [('projnce/kernel/conv/page_buffer.cpp', 'projnce/kernel/conv/workspace.cpp')]

# Headers with one user that stay files of their own: other compiler flags, templates for instruction sets, entry points.
KEEP = ['train/adamw_loops', 'encoder/native/native_trunk', 'report/page_parts', 'kernel/*', 'pipeline/loss_case*', 'dataset/catalogue',
        'pipeline/measure_machine', 'pipeline/training_run', 'pipeline/start_weights', 'core/*']
LONGEST = 400

# (glob of units, folder): the first that fits.
MOVES = [
    ('pipeline/loss_case*', 'golden'),
    ('pipeline/measure_machine', '../apps/projnce'),
    ('pipeline/run_directory', 'io/filesystem'),
    ('pipeline/run_config', 'config'), ('pipeline/setting_keys', 'config'), ('pipeline/standard_settings', 'config'),
    ('pipeline/*_options', 'config'), ('pipeline/named_data', 'config'), ('pipeline/run_request', 'config'), ('pipeline/*_config', 'config'),
    ('pipeline/training_data', 'data'), ('pipeline/validation_part', 'data'), ('pipeline/run_data_place', 'data'),
    ('pipeline/inspect_data', 'data'),
    ('pipeline/array_files', 'inference'),
    ('pipeline/page_files', 'report/build'), ('pipeline/run_pages', 'report/build'), ('pipeline/live_page', 'report/build'),
    ('pipeline/page_source', 'report/build'), ('pipeline/report', 'report/build'),
    ('pipeline/final_report', 'run'), ('pipeline/report_builder', 'report/build'), ('pipeline/report_writer', 'report/build'),
    ('pipeline/audit*', 'inference'), ('pipeline/embed*', 'inference'), ('pipeline/evaluate', 'inference'),
    ('pipeline/export_run', 'inference'), ('pipeline/*_report', 'inference'), ('pipeline/judge', 'inference'),
    ('pipeline/plane_map', 'inference'), ('pipeline/predict*', 'inference'), ('pipeline/readout*', 'inference'),
    ('pipeline/run_evaluation', 'inference'), ('pipeline/trained_*', 'inference'),
    ('pipeline/*', 'run'),
    ('export/*', 'onnx'),
    # io
    ('io/archive_*', 'io/archive'), ('io/byte_source', 'io/archive'), ('io/gzip_*', 'io/archive'),
    *[(f'io/{n}', 'io/image') for n in ('bmp', 'gif', 'jpeg*', 'png*', 'tiff', 'webp', 'image_*', 'orientation', 'exif', 'rgba_image')],
    ('io/sound_*', 'io/audio'), ('io/wav_*', 'io/audio'),
    *[(f'io/{n}', 'io/tensor') for n in ('safetensors*', 'npy*', 'idx', 'feature_cache')],
    *[(f'io/{n}', 'io/filesystem') for n in ('append_file', 'atomic_file', 'file_descriptor', 'file_lock', 'temporary_folder',
                                             'regular_file', 'file_tree', 'folder_tree', 'tree_names', 'system_error')],
    # dataset
    *[(f'dataset/{n}', 'dataset/readers') for n in ('caltech256', 'cifar*', 'crema_d', 'embeddings', 'esc50', 'folder', 'food101',
                                                    'imagenet', 'mnist', 'speech_commands', 'stl10', 'tiny_imagenet', 'class_folders',
                                                    'record_file', 'layout', 'text_list', 'number_array', 'wordnet_names', 'unread_files',
                                                    'file_dataset', 'tree_files', 'image_readers', 'sound_readers')],
    *[(f'dataset/{n}', 'dataset/wrappers') for n in ('wrappers', 'checked_dataset', 'noise', 'prepared_clips', 'spectrograms', 'clips',
                                                     'joined_dataset', 'subset', 'concat')],
    *[(f'dataset/{n}', 'dataset/inspect') for n in ('contact_*', 'inspect', 'sample_tile', 'sample_previews', 'sound_clips', 'decode_all', 'draw_samples',
                                                    'image_grid')],
    *[(f'dataset/{n}', 'dataset/split') for n in ('hash_split', 'stored_split', 'stratify', 'sample_id')],
    # report
    *[(f'report/{n}', 'report/chart') for n in ('canvas', '*_canvas', 'lettering', 'palette', 'legend', 'geometry', '*chart*', 'cairo_font')],
    *[(f'report/{n}', 'report/map') for n in ('map_*', 'scatter_map', 'cluster_labels')],
    *[(f'report/{n}', 'report/tensorboard') for n in ('event_*', 'projector', 'tensorboard', 'confusion_*')],
    *[(f'report/{n}', 'report/server') for n in ('run_server', 'run_requests', 'run_list', 'run_index', 'run_index_page')],
    *[(f'report/{n}', 'report/page') for n in ('page*', 'report_*', 'html_document', 'run_data', 'packed_samples', 'picture_sheets', 'thumbnail_sheets', 'metric_curves')],
    *[(f'report/{n}', 'report/terminal') for n in ('terminal_*', 'sparkline')],
    *[(f'report/{n}', 'report/grid') for n in ('suspect_*', 'label_issue_*', 'image_grid', 'contact_sheet')],
]

# Folders whose sources are built into another target than the rest of their module.
TARGETS = {'projnce/report/build': 'projnce_trainer'}

# Member functions that go to another source of their class, so that no source is too long.
SPLITS = [
    ('projnce/pipeline/training_run.cpp',
     ['TrainingRun::write_results', 'TrainingRun::summary', 'TrainingRun::write_page', 'TrainingRun::write_report'],
     'projnce/pipeline/training_run_delivery.cpp'),
]

# Modules in the order in which includes go down; used for the lists of folders in CMake files.
TRAINER_FOLDERS = 'io dataset augment report loader checkpoint distributed train onnx config data inference run golden reproduce'
TEST_LIST = ('core io dataset augment report loader encoder kernel projection loss information checkpoint\n'
             '        distributed train eval onnx config data inference run golden reproduce')


# What of a unit becomes another: (unit, new unit, names in its header, names in its anonymous namespace).
EXTRACTS = [
    ('pipeline/judge', 'eval/protocol',
     ['Protocol', 'protocol_name', 'protocol_text', 'protocol_by_name', 'default_readout', 'choose_protocols', 'with_readout', 'needs_known'],
     ['ProtocolRow', 'kProtocols', 'row_of']),
]


def matches(path, patterns):
    return any(fnmatch.fnmatchcase(path, p) for p in patterns)


def auto_folds(tree, note):
    """Headers that one source of their own folder includes, and no test, as long as the result is short enough."""
    done = True
    while done:
        done = False
        for h in sorted(f for f in tree.files if f.startswith(('projnce/', 'apps/')) and f.endswith('.h')):
            unit = h[:-2]
            short = unit[len('projnce/'):] if unit.startswith('projnce/') else unit
            if matches(short, KEEP) or h == 'projnce/projnce.h':
                continue
            users = [f for f in tree.includers(h) if f != unit + '.cpp']
            if len(users) != 1 or not users[0].endswith('.cpp') or users[0].split('/')[:2] != h.split('/')[:2]:
                continue
            if any(h[len('projnce/'):] in t for f, t in tree.files.items() if f.endswith(('.in', 'CMakeLists.txt', '.cmake')) and h in t):
                continue
            total = sum(tree.files[f].count('\n') for f in tree.parts(unit)) + tree.files[users[0]].count('\n')
            if total - 15 > LONGEST:
                note('not folded, would be too long:', short, '->', users[0], total)
                KEEP.append(short)
                continue
            if tree.fold(unit, users[0]):
                note('folded', short, '->', users[0], tree.files[users[0]].count('\n'))
                done = True
            else:
                KEEP.append(short)


def apply(tree, note):
    for source, names, to in SPLITS:
        tree.move_functions(source, names, to)
    for unit, to, public, hidden in EXTRACTS:
        tree.extract('projnce/' + unit, 'projnce/' + to, public, hidden)
    f = 'projnce/pipeline/eval_options.cpp'
    if f in tree.files:
        tree.files[f] = tree.files[f].replace('"projnce/pipeline/judge.h"', '"projnce/eval/protocol.h"')
    for target, units in MERGES:
        tree.merge('projnce/' + target, ['projnce/' + u for u in units])
    for target, units in HEADERS:
        tree.merge_headers('projnce/' + target, ['projnce/' + u for u in units])
    for old, new in RENAMES:
        if old in tree.files:
            tree.move(old, new)
    auto_folds(tree, note)
    units = sorted({f.rsplit('.', 1)[0] for f in tree.files if f.startswith('projnce/') and f.endswith(('.h', '.cpp'))})
    for unit in units:
        short = unit[len('projnce/'):]
        if '/' not in short:
            continue
        for pattern, folder in MOVES:
            if fnmatch.fnmatchcase(short, pattern):
                if pattern == 'pipeline/*':
                    note('to run/ by default:', short)
                to = ('apps/projnce' if folder.startswith('..') else 'projnce/' + folder) + '/' + Path(short).name
                tree.move_unit(unit, to)
                break
    for f in list(tree.files):  # what is no unit: .in files
        if f.startswith('projnce/export/') and not f.endswith('CMakeLists.txt'):
            tree.move(f, f.replace('projnce/export/', 'projnce/onnx/'))


def replace(tree, note, file, old, new, regex=False):
    t = tree.files[file]
    n = re.sub(old, new, t) if regex else t.replace(old, new)
    if n == t:
        note('FINISH: no effect in', file, ':', old[:60])
    tree.files[file] = n


def finish(tree, note):
    replace(tree, note, 'CMakeLists.txt', r'foreach\(folder io dataset augment [^)]*\)', 'foreach(folder ' + TRAINER_FOLDERS.replace(' config', '\n                 config') + ')', True)
    for file, change in (('tools/check_layers.py', layers), ('tests/cli/checks_test.py', checks_test)):
        new = change(tree.files[file])
        if new == tree.files[file]:
            note('FINISH: no effect in', file)
        tree.files[file] = new
    install(tree, note)
    architecture(tree, note)
    replace(tree, note, 'tests/CMakeLists.txt', r'foreach\(folder core io [^)]*\)', 'foreach(folder ' + TEST_LIST + ')', True)


# ---- tools/check_layers.py --------------------------------------------------------
ALLOWED = '''ALLOWED = {
    "core": [],
    "io": ["core"],
    "augment": ["core"],
    "kernel": ["core"],
    "encoder": ["kernel", "core"],
    "projection": ["kernel", "core"],
    "information": ["kernel", "core"],
    "loss": ["projection", "kernel", "core"],
    "eval": ["information", "loss", "projection", "kernel", "core"],
    "dataset": ["augment", "io", "core"],
    "report": ["dataset", "augment", "io", "core"],
    "checkpoint": ["io", "core"],
    "distributed": ["io", "core"],
    "loader": ["dataset", "augment", "core"],
    "train": ["loader", "dataset", "encoder", "loss", "checkpoint", "distributed", "core"],
    "onnx": ["encoder", "augment", "io", "core"],
    "config": ["train", "loader", "eval", "loss", "projection", "encoder", "dataset", "augment", "io", "core"],
    "data": ["config", "train", "report", "dataset", "augment", "io", "core"],
    "inference": ["data", "config", "onnx", "loader", "eval", "information", "loss", "projection", "encoder", "checkpoint",
                  "distributed", "report", "dataset", "augment", "io", "core"],
    "report/build": ["inference", "data", "config", "eval", "report", "checkpoint", "dataset", "io", "core"],
    "run": ["report/build", "inference", "data", "config", "train", "loader", "eval", "information", "loss", "projection",
            "encoder", "kernel", "checkpoint", "distributed", "report", "dataset", "augment", "io", "core"],
    "golden": ["eval", "information", "loss", "projection", "dataset", "augment", "core"],
    "reproduce": ["run", "inference", "config", "report/build", "report", "dataset", "io", "core"],
}'''

LAYERS_MODULE = '''

def module_of(path):
    """The module of a file that is named from projnce/ on: the longest name of the table that it begins with."""
    parts = path.split("/")[:-1]
    while parts and "/".join(parts) not in ALLOWED:
        parts.pop()
    return "/".join(parts)


def check_includes('''


def layers(text):
    text = re.sub(r'ALLOWED = \{.*?\n\}', lambda m: ALLOWED, text, count=1, flags=re.S)
    text = text.replace('# Folder -> folders that it may include besides itself.', '# Module -> modules that it may include besides itself; a folder below another one that is named here is a module\n# of its own.')
    text = text.replace('\n\ndef check_includes(', LAYERS_MODULE, 1)
    text = text.replace('''        parts = target.split("/")
        if parts[0] != "projnce" or len(parts) < 3:
            problems.append(f"{path}: write #include \\"{target}\\" from the root of the repository")
        elif parts[1] != folder and parts[1] not in ALLOWED[folder]:
            problems.append(f"{path}: {folder}/ must not include {parts[1]}/ ({target})")''',
'''        parts = target.split("/")
        module = module_of("/".join(parts[1:]))
        if parts[0] != "projnce" or len(parts) < 3:
            problems.append(f"{path}: write #include \\"{target}\\" from the root of the repository")
        elif module != folder and module not in ALLOWED[folder]:
            problems.append(f"{path}: {folder}/ must not include {module}/ ({target})")''')
    text = text.replace('''def check_listed(path, problems):
    lists = path.parent / "CMakeLists.txt"
    if path.suffix == ".cpp" and not re.search(rf"\\b{re.escape(path.name)}\\b",
                                               lists.read_text() if lists.exists() else ""):
        problems.append(f"{path}: not listed in {lists.relative_to(ROOT)}")''',
'''def check_listed(path, problems):
    """A source is listed in the nearest CMakeLists.txt above it, by its path from there."""
    folder = path.parent
    while not (folder / "CMakeLists.txt").exists():
        folder = folder.parent
    name = path.relative_to(folder).as_posix()
    if path.suffix == ".cpp" and not re.search(rf"(?<![\\w/]){re.escape(name)}\\b", (folder / "CMakeLists.txt").read_text()):
        problems.append(f"{path}: not listed in {(folder / 'CMakeLists.txt').relative_to(ROOT)}")''')
    text = text.replace('''        folder = path.relative_to(ROOT / "projnce").parts[0]
        if folder == UMBRELLA:''', '''        folder = module_of(path.relative_to(ROOT / "projnce").as_posix())
        if path == ROOT / "projnce" / UMBRELLA:''')
    text = text.replace('''            problems.append(f"{path}: folder {folder}/ is not in the table of tools/check_layers.py")''',
                        '''            problems.append(f"{path}: its folder is not in the table of tools/check_layers.py")''')
    text = text.replace('''        if target.split("/")[1] not in LIBRARY:''', '''        if module_of(target.removeprefix("projnce/")) not in LIBRARY:''')
    text = text.replace('''def check_types(sources, problems):
    """`sources` maps a path to its text."""
    places = {}
    for path, text in sources.items():
        for name in set(defined_types(text)):
            places''', '''def without_module(name):
    """"projnce::io::FileTree" as "projnce::FileTree": C++ lets two modules have types of the same name, readers mix them up."""
    parts = name.split("::")
    return "::".join(parts[:1] + parts[2:]) if len(parts) > 2 and parts[0] == "projnce" and parts[1] in ALLOWED else name


def check_types(sources, problems):
    """`sources` maps a path to its text."""
    places = {}
    for path, text in sources.items():
        for name in {without_module(name) for name in defined_types(text)}:
            places''')
    text = text.replace('''named namespace defines a type twice, which breaks the one-definition rule without a word from the linker.''',
                        '''type is defined twice: in one namespace that breaks the one-definition rule without a word from the linker, in
two modules it misleads readers.''').replace('if a\nnamed namespace', 'if a\ntype') 
    return text


def checks_test(text):
    return text.replace('''    def test_other_namespaces_and_nameless_ones_are_none(self):
        self.assertEqual(self.problems(a="struct Request { };", b="namespace io { struct Request { }; }",''',
'''    def test_the_same_name_in_two_modules_is_a_problem(self):
        self.assertEqual(self.problems(a="namespace io { struct Request { }; }", b="namespace run { struct Request { }; }",
                                       c="struct Request { };"),
                         ["a: projnce::Request is also defined in b, c"])

    def test_other_namespaces_and_nameless_ones_are_none(self):
        self.assertEqual(self.problems(a="struct Request { };", b="namespace app { struct Request { }; }",''')


# ---- cmake/install.cmake -------------------------------------------------------------
INSTALL_FUNCTION = """# Installs headers and what they include. Everything else is internal: it may change from one version to the next.
function(projnce_install_headers)
  set(waiting ${ARGN})
  set(done "")
  while(waiting)
    list(POP_FRONT waiting header)
    if(header IN_LIST done OR header STREQUAL "projnce/core/version.h")
      continue()
    endif()
    list(APPEND done ${header})
    cmake_path(GET header PARENT_PATH folder)
    install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
    file(STRINGS ${PROJECT_SOURCE_DIR}/${header} lines REGEX "^#include \\"projnce/")
    foreach(line ${lines})
      string(REGEX REPLACE "^#include \\"([^\\"]+)\\".*" "\\\\1" included "${line}")
      list(APPEND waiting ${included})
    endforeach()
  endwhile()
endfunction()
"""
# Where programs of others begin that link the trainer: training, trained models, datasets, arrays.
TRAINER_HEADERS = ['run/train', 'inference/array_files', 'inference/audit', 'inference/embed', 'inference/evaluate', 'inference/predict',
                   'inference/trained_model', 'data/inspect_data', 'report/build/report', 'loader/loaders',
                   'train/trainer', 'train/training_checkpoint', 'io/filesystem/run_directory', 'core/progress', 'core/toml']


def install(tree, note):
    f = 'cmake/install.cmake'
    t = tree.files[f]
    n = re.sub(r'# The headers of a folder of projnce/;.*?endfunction\(\)\n', lambda m: INSTALL_FUNCTION, t, count=1, flags=re.S)
    n = re.sub(r'install\(FILES \$\{PROJECT_SOURCE_DIR\}/projnce/projnce\.h\n[^)]*\)\n', 'projnce_install_headers(projnce/projnce.h)\n', n)
    n = re.sub(r'foreach\(folder projection loss information eval\).*?(?=\nif\(PROJNCE_BUILD_PYTHON\))', '', n, flags=re.S)
    headers = sorted({h for p in TRAINER_HEADERS for h in tree.files if h.endswith('.h') and fnmatch.fnmatchcase(h, 'projnce/' + p + '.h')})
    lines, line = [], '   '
    for h in headers:
        if len(line) + len(h) > 98:
            lines.append(line); line = '   '
        line += ' ' + h
    block = '  # Where programs of others begin; what these headers include comes with them.\n  projnce_install_headers(\n' + '\n'.join(lines + [line]) + ')\n'
    n = re.sub(r'  foreach\(header logging progress toml\).*?  endforeach\(\)\n  foreach\(folder io dataset.*?  endforeach\(\)\n', lambda m: block, n, flags=re.S)
    if n == t:
        note('FINISH: install.cmake unchanged')
    tree.files[f] = n


# ---- docs/architecture.md --------------------------------------------------------------
def architecture(tree, note):
    f = 'docs/architecture.md'
    t = tree.files[f]
    at = t.find('## The life of a batch')
    if at < 0:
        note('FINISH: no "## The life of a batch" in', f); return
    between = re.findall(r'^## .*$', t[:at], re.M)
    if between != ['## Layers']:
        note('FINISH: sections before the life of a batch that would be lost:', between)
    n = open('tools/restructure/architecture_top.md').read() + t[at:]
    t_reader = re.search(r'\| a dataset \|[^|]*\|', n)
    if t_reader:
        n = n.replace(t_reader[0], '| a dataset | its reader in `projnce/dataset/readers/NAME.cpp`, declared in `image_readers.h` or `sound_readers.h`, one entry in '
                      '`projnce/dataset/registry.cpp`, a test that makes a tiny file, a row in `docs/datasets.md` |')
    for old, new in (('the work in `pipeline/`', 'the work in the module that it belongs to'),
                     ('and list new sources in the folder\'s `CMakeLists.txt`.', 'and list new sources in the module\'s `CMakeLists.txt`.')):
        if old not in n:
            note('FINISH: architecture.md has no', old)
        n = n.replace(old, new)
    tree.files[f] = n
